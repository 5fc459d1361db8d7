"""The command line of the report (docs/analysis.md)."""

import argparse
import os
import sys
import tempfile

from sources import AnalysisError, open_archive, read_inputs


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise AnalysisError(f"{message} (see --help)")


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def parse(arguments):
    parser = Parser(
        prog="dev analyse",
        allow_abbrev=False,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description="One self-contained HTML report of runs of lcn. Several inputs are configurations, "
        "compared in pairs of the same instance and seed.",
    )
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="an archive, the folder of a run (--out), or a study"
    )
    parser.add_argument(
        "--out",
        metavar="FILE.html",
        default=argparse.SUPPRESS,
        help="report to write; when not given analysis.html in the folder, ARCHIVE.html beside the archive, "
        "or analysis.html here for several inputs",
    )
    parser.add_argument(
        "--reference",
        metavar="TABLE.csv",
        default=argparse.SUPPRESS,
        help="known K of instances: a CSV file with the columns instance, K and, if wanted, source",
    )
    parser.add_argument(
        "--baseline",
        metavar="LABEL",
        default=argparse.SUPPRESS,
        help="what the others are compared with; when not given that of the study, or the first",
    )
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        default=argparse.SUPPRESS,
        help="instance to show in figures; may be repeated",
    )
    parser.add_argument(
        "--instances", type=positive, metavar="N", default=12, help="instances shown in figures"
    )
    parser.add_argument(
        "--drawings", type=positive, metavar="N", default=6, help="best drawings shown and recounted"
    )
    parser.add_argument(
        "--units",
        type=positive,
        metavar="N",
        default=50,
        help="units of an instance and configuration whose tables are read",
    )
    parser.add_argument("--rows", type=positive, metavar="N", default=200, help="rows of a table")
    return parser.parse_args(arguments)


def default_out(inputs):
    if len(inputs) > 1:
        return "analysis.html"
    if os.path.isdir(inputs[0]):
        return os.path.join(inputs[0], "analysis.html")
    return os.path.splitext(inputs[0])[0] + ".html"


def write(path, text):
    """To a temporary name that is renamed, so that a report is there as a whole or not at all."""
    try:
        file = tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=os.path.dirname(os.path.abspath(path)), suffix=".tmp", delete=False
        )
        try:
            with file:
                file.write(text)
            os.chmod(file.name, 0o666 & ~current_umask())
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})", 4) from None


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def make_report(arguments):
    options = parse(arguments)
    out = getattr(options, "out", None) or default_out(options.inputs)
    configurations = read_inputs(options.inputs)
    labels = [configuration.label for configuration in configurations]
    studies = [configuration.study["baseline"] for configuration in configurations if configuration.study]
    baseline = getattr(options, "baseline", studies[0] if studies and studies[0] in labels else labels[0])
    if baseline not in labels:
        raise AnalysisError(
            f"--baseline {baseline}: no configuration has this label (there are {', '.join(labels)})"
        )
    from data import Data, Limits
    from reference import read_reference

    reference = read_reference(options.reference) if "reference" in options else {}
    data = Data(
        configurations,
        Limits(
            options.instances,
            options.drawings,
            options.units,
            options.rows,
            tuple(getattr(options, "only", ())),
        ),
    )
    import report  # the figures' library takes a second to load: only now that there is something to draw

    text, wrong = report.build(data, reference, labels.index(baseline))
    write(out, text)
    for line in wrong:
        print(f"warning: {line}")
    print(f"report       {out}")


def run(arguments):
    """Exit code; an error is one line on standard error."""
    try:
        make_report(arguments)
    except AnalysisError as error:
        print(f"analyse: {error}", file=sys.stderr)
        return error.code
    finally:
        open_archive.cache_clear()
    return 0
