"""./dev analyse from outside: the numbers of a report are those of its archive, and bad input ends with one
line.
"""

import contextlib
import glob
import html
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser

SOURCE, PROGRAM = os.environ["LCN_SOURCE_DIR"], os.environ["LCN_PROGRAM"]
try:
    import h5py
    import pandas

    for module in ("matplotlib", "scipy"):
        importlib.import_module(module)

    sys.path[:0] = [os.path.join(SOURCE, "analysis"), os.path.join(SOURCE, "tests", "analysis")]
    import cli
    import synthetic_archive
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def lcn(*arguments, code=0):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != code:
        raise AssertionError(
            f"lcn {' '.join(arguments)} ended with {result.returncode}: {result.stdout}{result.stderr}"
        )


def analyse(*arguments):
    """(exit code, output, errors) of the command in this process: starting Python anew would take most of the
    test.
    """
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = cli.run(arguments)
    return code, output.getvalue(), errors.getvalue()


class Page(HTMLParser):
    """Tables as lists of rows of text, all text, and tags that were never closed or never opened."""

    VOID = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.tables, self.text, self.open, self.wrong, self.labels = [], "", [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "svg" and dict(attributes).get("role") == "img":
            self.labels.append(dict(attributes).get("aria-label"))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data

    def table(self, column):
        """Rows of the table that has this column, as dictionaries."""
        rows = next(rows for rows in self.tables if column in rows[0])
        return [dict(zip(rows[0], row)) for row in rows[1:]]


def number(text):
    return int(text.replace(",", "").split(" ")[0])


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        os.mkdir(cls.path("inst"))
        lcn(
            "generate",
            "regular",
            "--n",
            "20",
            "--d",
            "4",
            "--grid",
            "200x200",
            "--out",
            cls.path("inst", "a <b> & c.json"),
        )
        lcn(
            "generate",
            "barabasi-albert",
            "--n",
            "24",
            "--m",
            "3",
            "--grid",
            "500x500",
            "--out",
            cls.path("inst", "ba.json"),
        )
        for name, *options in (
            ("ladder", "--search", "tempering", "--replicas", "6", "--target", "2"),
            ("families", "--search", "population:every=1", "--replicas", "16"),
        ):
            lcn(
                "solve",
                cls.path("inst"),
                "--seeds",
                "1..3",
                "--steps",
                "1500",
                "--device",
                "cpu",
                *options,
                "--out",
                cls.path(name),
            )
        with open(cls.path("reference.csv"), "w", encoding="utf-8") as file:
            file.write('instance,K,source\n"a <b> & c",0,made up\nelsewhere,3,nobody\n')
        cls.result = subprocess.run(
            [
                sys.executable,
                os.path.join(SOURCE, "analysis"),
                cls.path("ladder"),
                cls.path("families"),
                "--out",
                cls.path("report.html"),
                "--reference",
                cls.path("reference.csv"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        with open(cls.path("report.html"), encoding="utf-8") as file:
            cls.html = file.read()
        cls.page = Page(cls.html)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def path(cls, *parts):
        return os.path.join(cls.folder, *parts)

    def rows(self, run):
        with h5py.File(self.path(run, "archive.h5")) as archive:
            return pandas.DataFrame(
                {name: c.asstr()[:] if c.dtype.kind == "S" else c[:] for name, c in archive["runs"].items()}
            )

    def test_ends_well(self):
        self.assertEqual((self.result.returncode, self.result.stderr), (0, ""))
        self.assertEqual(self.result.stdout, f"report       {self.path('report.html')}\n")
        self.assertEqual((self.page.wrong, self.page.open), ([], []))
        self.assertEqual(glob.glob(self.path("*.tmp")), [])

    def test_best_tuples(self):
        ladder, families = self.rows("ladder"), self.rows("families")
        runs = pandas.concat([ladder, families])
        table = {row["instance"]: row for row in self.page.table("n_K")}
        self.assertEqual(set(table), set(runs.instance))
        for instance, own in runs.groupby("instance"):
            best = min(zip(own.K, own.n_K, own.Phi, own.C))
            row = table[instance]
            self.assertEqual(tuple(number(row[name]) for name in ("K", "n_K", "Φ", "C")), best)
            bound = own.lower_bound.max()
            self.assertEqual(
                (number(row["bound"]), number(row["gap"].split(",")[0])), (bound, best[0] - bound)
            )
            aimed = own[own.target_K >= 0]
            self.assertEqual(row["target (reached)"], f"2 ({aimed.target_reached.sum()} of 3)")
            for label, rows in (("ladder", ladder), ("families", families)):
                values = sorted(rows.K[rows.instance == instance])
                self.assertEqual(row[f"{label}: best / median K"], f"{values[0]} / {values[1]}")
            self.assertEqual(row["units with a drawing"], "6 of 6")
        known = table["a <b> & c"]
        cells = [known[name] for name in ("reference", "K − reference", "source")]
        self.assertEqual(cells, ["0", f"+{known['K']}", "made up"])
        self.assertEqual(table["ba"]["reference"], "–")
        self.assertIn("1 rows of the table no instance here", self.page.text)

    def test_times_and_differences(self):
        ladder, families = self.rows("ladder"), self.rows("families")
        row = self.page.table("median time")[0]
        self.assertEqual((row["instance"], row["configuration"]), ("all instances", "ladder"))
        reached = int(ladder.target_reached.sum())
        self.assertEqual((row["reached"], row["censored"]), (f"{reached} of 6", str(6 - reached)))
        both = ladder.merge(families, on=["instance", "repetition"], suffixes=("_a", "_b"))
        row = self.page.table("comparison")[0]
        self.assertEqual(
            (row["comparison"], row["pairs"], row["with a failure"]), ("families − ladder", "6", "0")
        )
        counts = [
            int((both.K_b < both.K_a).sum()),
            int((both.K_b == both.K_a).sum()),
            int((both.K_b > both.K_a).sum()),
        ]
        self.assertEqual(row["by K"].split(" (")[0], "{} / {} / {}".format(*counts))

    def test_recounted_drawings(self):
        self.assertIn("2 of 2 tuples equal those of the archive", self.page.text)

    def test_inside(self):
        self.assertIn("T 0.05 to 1, 3 units", self.page.text)
        self.assertRegex(self.page.text, r"median [\d.]+ of 16 replicas")

    def test_self_contained_and_described(self):
        self.assertFalse(re.search(r'(src|href)="(?!#)', self.html), "something would be loaded")
        self.assertNotIn("<script", self.html)
        self.assertGreater(len(self.page.labels), 10)
        self.assertTrue(all(self.page.labels))
        self.assertIn(html.escape("a <b> & c"), self.html)
        self.assertNotIn("<b>", self.html)

    def test_units_without_archive_and_damage(self):
        shutil.copytree(self.path("ladder"), self.path("cut"))
        os.remove(self.path("cut", "archive.h5"))
        files = sorted(glob.glob(self.path("cut", "units", "*", "*.h5")))
        os.truncate(files[0], os.path.getsize(files[0]) // 2)
        os.remove(files[1])
        with h5py.File(files[2], "r+") as unit:
            unit["runs/K"][0] += 1
        self.assertEqual(analyse(self.path("cut"))[::2], (0, ""))
        with open(self.path("cut", "analysis.html"), encoding="utf-8") as file:
            page = Page(file.read())
        self.assertIn("2 of 6 planned units are missing", page.text)
        self.assertIn("which cannot be read", page.text)
        self.assertIn("end their trace at another K", page.text)
        self.assertIn("One configuration only", page.text)
        # the best drawing of an instance has another K than its row says
        with h5py.File(self.path("ladder", "archive.h5")) as archive, h5py.File(
            self.path("changed.h5"), "w"
        ) as changed:
            for name in archive:
                archive.copy(name, changed)
            changed.attrs.update(archive.attrs)
            changed["runs/K"][...] = 0
        code, output, errors = analyse(self.path("changed.h5"))
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(output.count("warning: "), 2, output)

    def test_study(self):
        study = self.path("study")
        os.makedirs(os.path.join(study, "runs"))
        for name in ("ladder", "families"):
            shutil.copytree(self.path(name), os.path.join(study, "runs", name))
        families = self.rows("families")
        instances = families.drop_duplicates("instance")
        manifest = {
            "study": {"name": "S", "question": "Which?", "hypothesis": "None.", "baseline": "families"},
            "configurations": [{"name": name} for name in ("ladder", "families", "later")],
            "instances": [{"sha256": s, "target": 1000} for s in instances.instance_sha256],
        }
        with open(os.path.join(study, "manifest.json"), "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        self.assertEqual(analyse(study)[::2], (0, ""))
        with open(os.path.join(study, "analysis.html"), encoding="utf-8") as file:
            page = Page(file.read())
        self.assertIn("questionWhich?", page.text)
        self.assertIn("configuration later has not been run", page.text)
        self.assertEqual(page.table("comparison")[0]["comparison"], "ladder − families")
        row = next(row for row in page.table("median time") if row["configuration"] == "families")
        self.assertEqual((row["reached"], row["censored"]), ("6 of 6", "0"))


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.archive = os.path.join(self.folder, "0.h5")

    def refused(self, code, words, *arguments):
        found, _, errors = analyse(*arguments)
        self.assertEqual((found, errors.count("\n")), (code, 1), errors)
        self.assertTrue(errors.startswith("analyse: "), errors)
        self.assertIn(words, errors)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith((".html", ".tmp"))], [])

    def synthetic(self, units, change=None):
        self.archive = os.path.join(self.folder, f"{len(os.listdir(self.folder))}.h5")
        synthetic_archive.write(self.archive, units, max(1, units // 3))
        if change:
            with h5py.File(self.archive, "r+") as file:
                change(file)

    def test_command_line(self):
        self.refused(2, "unrecognized arguments: --unknown", self.archive, "--unknown")
        self.refused(2, "required: INPUT")
        self.refused(2, "no such file or folder", os.path.join(self.folder, "missing.h5"))
        self.refused(2, "holds neither archive.h5 nor units", self.folder)
        self.refused(2, "invalid positive value", self.archive, "--instances", "0")

    def test_options(self):
        self.synthetic(6)
        table = os.path.join(self.folder, "table.csv")
        for text, words in (
            ("name,K\n", "must name the columns"),
            ("instance,K\na,1\na,2\n", "line 3: a is there twice"),
            ("instance,K\na,-1\n", "line 2: K of a must be a whole number"),
        ):
            with open(table, "w", encoding="utf-8") as file:
                file.write(text)
            self.refused(2, words, self.archive, "--reference", table)
        self.refused(
            2,
            "table2.csv: cannot be read",
            self.archive,
            "--reference",
            os.path.join(self.folder, "table2.csv"),
        )
        self.refused(2, "--only nobody", self.archive, "--only", "nobody")
        self.refused(2, "--baseline nobody", self.archive, "--baseline", "nobody")
        self.refused(
            4, "cannot be written", self.archive, "--out", os.path.join(self.folder, "no", "folder.html")
        )

    def test_files(self):
        def lose(name):
            def change(file):
                del file[name]

            return change

        def set_all(name, value):
            def change(file):
                file[name][...] = value

            return change

        def fail(file):
            for name in ("K", "n_K", "Phi", "C"):
                file["runs"][name][...] = -1
            file["runs/status"][...] = b"failed"
            del file["runs/error"]
            file["runs/error"] = [b"no valid drawing found"] * 6

        for change, code, words in (
            (fail, 2, "all 6 units failed"),
            (lose("runs/K"), 5, "damaged"),
            (lose("runs"), 5, "damaged"),
            (set_all("runs/unit", b"0"), 5, "is there twice"),
            (lose("drawings"), 5, "damaged"),
            (lambda file: file.attrs.modify("schema_version", 2), 5, "schema_version is 2"),
        ):
            self.synthetic(6, change)
            self.refused(code, words, self.archive)
        self.synthetic(6)
        os.truncate(self.archive, os.path.getsize(self.archive) // 2)
        self.refused(5, "cannot be opened", self.archive)
        with open(os.path.join(self.folder, "text.h5"), "w", encoding="utf-8") as file:
            file.write("text")
        self.refused(5, "cannot be opened", file.name)
        with h5py.File(os.path.join(self.folder, "other.h5"), "w") as file:
            name = file.filename
        self.refused(5, "the attribute format is not lcn", name)

    def test_empty_archive(self):
        def empty(file):
            for name in list(file["runs"]):
                values = file["runs"][name]
                kind = values.dtype
                del file["runs"][name]
                file.create_dataset(f"runs/{name}", (0,), kind)

        self.synthetic(3, empty)
        self.refused(2, "holds 0 units", self.archive)


if __name__ == "__main__":
    unittest.main()
