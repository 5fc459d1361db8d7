"""The reference table of --reference: a CSV file with the columns instance, K and, if wanted, source."""

import csv

from sources import AnalysisError


def read_reference(path):
    """{instance: (K, source)}. AnalysisError names the line of what is wrong."""
    table = {}
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if not {"instance", "K"} <= set(rows.fieldnames or []):
                raise AnalysisError(
                    f"{path}: the first line must name the columns instance and K (and may name source)"
                )
            for row in rows:
                name, K = row["instance"], (row["K"] or "").strip()
                if not (K.isascii() and K.isdigit()):
                    raise AnalysisError(
                        f"{path}: line {rows.line_num}: K of {name} must be a whole number, not '{K}'"
                    )
                if name in table:
                    raise AnalysisError(f"{path}: line {rows.line_num}: {name} is there twice")
                table[name] = int(K), (row.get("source") or "").strip()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise AnalysisError(f"{path}: cannot be read ({reason})") from None
    return table
