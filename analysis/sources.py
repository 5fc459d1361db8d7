"""Where results come from: archives, run folders and studies, read as configurations.

Rows of /runs are read as a whole, column by column; what hangs on one unit (trace, replicas, drawing) only
when a figure asks for it. The schema is docs/format.md.
"""

import dataclasses
import functools
import glob
import json
import os

import h5py
import numpy
import pandas

SCHEMA_VERSION = 1
ROWS_AT_ONCE = 16_384
MAX_UNIT_FILES = 3_000  # a run folder with more has to be merged first: each unit file costs milliseconds

TEXTS = [
    "unit",
    "instance",
    "instance_sha256",
    "config",
    "status",
    "error",
    "backend",
    "start_provider",
    "device",
    "host",
    "provenance",
]
NUMBERS = [
    "repetition",
    "root_seed",
    "K",
    "n_K",
    "Phi",
    "C",
    "initial_K",
    "lower_bound",
    "optimal",
    "target_K",
    "target_reached",
    "time_to_target",
    "time_to_best",
    "wall_time",
    "replica_steps",
    "exchanges_attempted",
    "exchanges_accepted",
    "round_trips",
]


class AnalysisError(Exception):
    """One line for a person, and the exit code of the program: 2 for the input, 5 for a rejected file."""

    def __init__(self, message, code=2):
        super().__init__(" ".join(str(message).split()))
        self.code = code


def rejected(path, problem):
    return AnalysisError(f"{path}: {problem}", 5)


def guarded(method):
    """Errors of HDF5 inside a damaged file become one readable line that names the file."""

    @functools.wraps(method)
    def call(self, *arguments):
        try:
            return method(self, *arguments)
        except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            place = "".join(f": {a}" for a in arguments if isinstance(a, str))
            raise rejected(
                self.path + place, f"cannot be read ({error}). The file is damaged, or none of lcn."
            ) from None

    return call


def text_column(dataset):
    """Fixed-length text as an object array in which equal values are one string."""
    pieces = []
    for first in range(0, dataset.shape[0], ROWS_AT_ONCE):
        distinct, index = numpy.unique(dataset[first : first + ROWS_AT_ONCE], return_inverse=True)
        pieces.append(
            numpy.array([text.decode("utf-8", "replace") for text in distinct], dtype=object)[index]
        )
    return numpy.concatenate(pieces) if pieces else numpy.array([], dtype=object)


class Archive:
    """An archive or a unit file."""

    def __init__(self, path):
        self.path = path
        if not os.path.isfile(path):
            raise AnalysisError(f"{path}: no such file")
        try:
            self.file = h5py.File(path, "r")
        except OSError as error:
            raise rejected(
                path, f"cannot be opened ({error}). The file is cut, damaged, or none of lcn."
            ) from None
        self.check_format()

    @guarded
    def check_format(self):
        if bytes(self.file.attrs.get("format", b"")) != b"lcn":
            raise rejected(self.path, "the attribute format is not lcn (written by another program)")
        version = int(self.file.attrs.get("schema_version", -1))
        if version != SCHEMA_VERSION:
            raise rejected(self.path, f"schema_version is {version}, this program reads {SCHEMA_VERSION}")

    @guarded
    def rows(self):
        columns = self.file["runs"]
        table = {name: text_column(columns[name]) for name in TEXTS}
        table.update({name: columns[name][:] for name in NUMBERS})
        lengths = {len(column) for column in table.values()}
        if len(lengths) != 1:
            raise rejected(self.path, f"columns of /runs have different lengths: {sorted(lengths)}")
        return pandas.DataFrame(table)

    @guarded
    def table(self, group, unit):
        """Rows of /trace, /schedule, /replicas or /drawings; None where the unit has none."""
        return self.file[group][unit][:] if unit in self.file[group] else None

    @guarded
    def instance(self, sha256):
        """(n, edges as int64 [m, 2]) of a stored contest file; ids are vertex numbers."""
        document = json.loads(self.file["instances"][sha256]["json"][()])
        edges = [(int(edge["source"]), int(edge["target"])) for edge in document["edges"]]
        return len(document["nodes"]), numpy.array(edges, dtype=numpy.int64).reshape(-1, 2)

    @guarded
    def provenance(self, key):
        return json.loads(self.file["provenance"][key][()]) if key in self.file["provenance"] else {}


open_archive = functools.lru_cache(maxsize=64)(Archive)


@dataclasses.dataclass
class Configuration:
    """All units of one run. `runs` is /runs plus `file`, the index into `paths` of the file that has the
    unit.
    """

    label: str
    paths: list
    runs: pandas.DataFrame
    notes: list  # what a reader must know about the input: missing and unreadable units
    study: dict = None  # name, question, hypothesis and baseline of its study

    def archive(self, row):
        return open_archive(self.paths[row.file])


def read_plan(folder):
    path = os.path.join(folder, "plan.json")
    if not os.path.isfile(path):
        return None
    try:
        with open(path, encoding="utf-8") as file:
            return {unit["unit"] for unit in json.load(file)["units"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise rejected(path, f"cannot be read ({error})") from None


def read_units(folder, files):
    """Rows of unit files; those that cannot be read are named, as `lcn archive merge` does."""
    paths, tables, notes = [], [], []
    for path in files:
        try:
            rows = open_archive(path).rows()
        except AnalysisError as error:
            if error.code != 5:
                raise
            notes.append(f"passed over: {os.path.relpath(path, folder)}, which cannot be read")
            continue
        tables.append(rows.assign(file=len(paths)))
        paths.append(path)
    if not tables:
        raise rejected(folder, f"none of its {len(files)} unit files can be read")
    return paths, pandas.concat(tables, ignore_index=True), notes


def read_folder(folder, label):
    files = sorted(glob.glob(os.path.join(glob.escape(folder), "units", "*", "*.h5")))
    archive = os.path.join(folder, "archive.h5")
    if os.path.isfile(archive):
        paths, runs, notes = [archive], open_archive(archive).rows().assign(file=0), []
        newer = {os.path.basename(path)[:-3] for path in files} - set(runs.unit)
        if newer:
            notes.append(
                f"{len(newer)} unit files are not in archive.h5: run lcn archive merge to have them here"
            )
    elif not files:
        raise AnalysisError(
            f"{folder}: holds neither archive.h5 nor units/*/*.h5 (is it the folder of --out?)"
        )
    elif len(files) > MAX_UNIT_FILES:
        raise AnalysisError(
            f"{folder}: {len(files)} unit files and no archive (they would be slow to read): "
            f"run lcn archive merge {folder} first"
        )
    else:
        paths, runs, notes = read_units(folder, files)
    planned = read_plan(folder)
    if planned is not None:
        missing = len(planned - set(runs.unit))
        if missing:
            notes.append(f"{missing} of {len(planned)} planned units are missing")
    return Configuration(label, paths, runs, notes)


def with_targets(runs, targets):
    """Rows with the targets of a study, {sha256: K}, whose units go on after it: `time_to_target` is then NaN
    also where it was reached (only the trace knows when).
    """
    target = runs.instance_sha256.map(targets)
    aimed = target.notna() & (runs.target_K < 0)
    runs.loc[aimed, "target_K"] = target[aimed].astype("int64")
    runs.loc[aimed, "target_reached"] = (runs.K[aimed] >= 0) & (runs.K[aimed] <= target[aimed])
    return runs


def read_study(folder):
    """The configurations of a study in the order of its manifest, with its targets (docs/studies.md)."""
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        study = {key: str(manifest["study"][key]) for key in ("name", "question", "hypothesis", "baseline")}
        labels = [str(configuration["name"]) for configuration in manifest["configurations"]]
        targets = {
            instance["sha256"]: int(instance["target"])
            for instance in manifest["instances"]
            if instance["target"] is not None
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise rejected(path, f"not the manifest of a study ({error})") from None
    configurations, absent = [], []
    for label in labels:
        run = os.path.join(folder, "runs", label)
        if not os.path.isdir(run):
            absent.append(f"configuration {label} has not been run")
            continue
        configuration = read_folder(run, label)
        configuration.runs = with_targets(configuration.runs, targets)
        configuration.study = study
        configurations.append(configuration)
    if not configurations:
        raise AnalysisError(f"{folder}: no configuration of the study has been run")
    configurations[0].notes += absent
    return configurations


def read_input(path):
    """The configurations behind one argument of the command line."""
    if not os.path.exists(path):
        raise AnalysisError(f"{path}: no such file or folder")
    if os.path.isfile(os.path.join(path, "manifest.json")):
        return read_study(path)
    if os.path.isdir(path):
        return [read_folder(path, os.path.basename(os.path.abspath(path)))]
    name = os.path.basename(path)
    if name == "archive.h5":
        name = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return [Configuration(os.path.splitext(name)[0], [path], open_archive(path).rows().assign(file=0), [])]


def check(configuration):
    """Refuses what a report could not be honest about."""
    runs, place = configuration.runs, configuration.paths[0]
    if runs.empty:
        raise AnalysisError(f"{place}: holds 0 units, there is nothing to analyse")
    if runs.unit.duplicated().any():
        raise rejected(place, f"unit {runs.unit[runs.unit.duplicated()].iloc[0]} is there twice")
    if runs.config.nunique() > 1:
        raise rejected(place, f"rows of {runs.config.nunique()} configurations in one run")
    try:
        json.loads(runs.config.iloc[0])
    except ValueError as error:
        raise rejected(place, f"config is not JSON ({error})") from None


def read_inputs(paths):
    """Configurations of all inputs, with different labels. AnalysisError when no unit has a drawing."""
    configurations = [configuration for path in paths for configuration in read_input(path)]
    labels = {}
    for configuration in configurations:
        check(configuration)
        count = labels[configuration.label] = labels.get(configuration.label, 0) + 1
        if count > 1:
            configuration.label += f" ({count})"
    rows = pandas.concat([configuration.runs for configuration in configurations])
    if not (rows.K >= 0).any():
        reason = rows.error.value_counts().index[0]
        raise AnalysisError(
            f"{paths[0]}: all {len(rows)} units failed, there is nothing to analyse "
            f"(most frequent reason: {reason})"
        )
    return configurations


def all_runs(configurations):
    """One table of all units with the columns `configuration` (index) and `name`: the instance's name, made
    different by its hash where two instances share one."""
    runs = pandas.concat(
        [c.runs.assign(configuration=i) for i, c in enumerate(configurations)], ignore_index=True
    )
    instances = runs[["instance_sha256", "instance"]].drop_duplicates("instance_sha256")
    ambiguous = instances.instance.duplicated(keep=False)
    names = instances.instance.where(~ambiguous, instances.instance + "-" + instances.instance_sha256.str[:8])
    return runs.assign(name=runs.instance_sha256.map(dict(zip(instances.instance_sha256, names))))
