"""./dev test --long: a report of a merged archive of 100,000 units on 2,000 instances, in under a minute and
2 GB.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile

UNITS, INSTANCES = 100_000, 2_000
MAX_SECONDS, MAX_BYTES = 60, 2 * 2**30

if os.environ.get("LCN_LONG_TESTS") != "1":
    print("skipped: ./dev test --long runs it")
    sys.exit(77)
source = os.environ["LCN_SOURCE_DIR"]
try:
    import synthetic_archive
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    archive, report = os.path.join(folder, "archive.h5"), os.path.join(folder, "report.html")
    columns, instances = synthetic_archive.write(archive, UNITS, INSTANCES)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        [sys.executable, os.path.join(source, "analysis"), archive, "--out", report], check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # time of the processor: what the machine does beside the test is not the report's
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = after.ru_maxrss * 1024
    with open(report, encoding="utf-8") as file:
        text = file.read()
    size = os.path.getsize(archive)

print(
    f"{UNITS} units, archive {size / 1e6:.0f} MB: {seconds:.1f} s, peak {peak / 1e6:.0f} MB, report "
    f"{len(text) / 1e6:.2f} MB"
)
table = re.search(r"<th scope=\"row\">synthetic-.*?</table>", text, re.S)[0]
problems = [
    problem
    for problem, wrong in (
        (f"ended with {result.returncode}", result.returncode != 0),
        ("too slow", seconds > MAX_SECONDS),
        ("too much memory", peak > MAX_BYTES),
        ("larger than 5 MB", len(text) > 5e6),
        (
            "does not say what it leaves out",
            f"12 of {INSTANCES:,} instances" not in text or f"200 of {INSTANCES:,} instances" not in text,
        ),
        ("the table is not cut", table.count("<tr>") + 1 != 200),
        (
            "failures are not counted",
            f"{int((columns['status'] == b'failed').sum()):,} units of {UNITS:,}" not in text,
        ),
        ("drawings differ from their rows", "6 of 6 tuples equal" not in text),
    )
    if wrong
]
for problem in problems:
    print(f"FAILED: {problem}")
sys.exit(1 if problems else 0)
