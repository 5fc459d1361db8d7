"""python3 analysis INPUT... : one HTML report of archives, run folders or studies."""

import sys

from cli import run

sys.exit(run(sys.argv[1:]))
