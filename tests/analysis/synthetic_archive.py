"""Writes a large archive with the schema of docs/format.md, for tests of time and memory: all groups,
invented values.

    python3 synthetic_archive.py ARCHIVE UNITS INSTANCES
"""

import hashlib
import json
import os
import sys

import h5py
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analysis"))
from crossings import crossing_counts, tuple_of  # noqa: E402

N, M, TARGET = 60, 120, 55
CONFIG = json.dumps(
    {
        "algorithm_version": 1,
        "backend": "cpu",
        "replicas": 8,
        "search": "tempering",
        "start": "auto",
        "steps": None,
        "target": TARGET,
        "time": 10.0,
    },
    separators=(",", ":"),
)
TRACE = numpy.dtype(
    [(name, "<f8" if name == "seconds" else "<i8") for name in ("seconds", "step", "K", "n_K", "Phi", "C")]
)
SCHEDULE = numpy.dtype([(name, "<i8") for name in ("stage", "steps", "temperature", "table_K")])
REPLICAS = numpy.dtype(
    [
        (name, "<f8" if name in ("temperature", "rejection_rate", "hot_fraction") else "<i8")
        for name in (
            "rung",
            "temperature",
            "attempts_even",
            "accepts_even",
            "attempts_odd",
            "accepts_odd",
            "rejection_rate",
            "hot_fraction",
            "round_trips",
            "families",
        )
    ]
)


def text(values):
    return numpy.array([value.encode() for value in values])


def make_instances(count, random):
    """[(sha256, json, drawing, tuple)] of random graphs with random drawings."""
    instances = []
    for _ in range(count):
        pairs = random.choice(N * (N - 1) // 2, M, replace=False)
        rows, columns = numpy.triu_indices(N, 1)
        edges = numpy.stack([rows[pairs], columns[pairs]], axis=1)
        points = random.integers(0, 10_000, (N, 2)).astype(numpy.int32)
        document = json.dumps(
            {
                "nodes": [{"id": v} for v in range(N)],
                "width": 10_000,
                "height": 10_000,
                "edges": [{"source": int(a), "target": int(b)} for a, b in edges],
            }
        )
        instances.append(
            (
                hashlib.sha256(document.encode()).hexdigest(),
                document,
                points,
                tuple_of(crossing_counts(points, edges)),
            )
        )
    return instances


def columns_of(units, instances, random):
    which = numpy.arange(units) % len(instances)
    best = numpy.array([values for _, _, _, values in instances])[which]
    worse = numpy.where(numpy.arange(units) < len(instances), 0, random.integers(0, 9, units))
    failed = random.random(units) < 0.01
    failed[: len(instances)] = False
    final = numpy.where(failed[:, None], -1, best + worse[:, None])
    reached = ~failed & (final[:, 0] <= TARGET)
    wall = numpy.where(reached, random.uniform(0.5, 9, units), 10.0)
    certificate = json.dumps(
        {"rule": "non-planar", "n": 40, "m": 60, "vertices": list(range(40))}, separators=(",", ":")
    )
    columns = {
        "unit": text(f"{i:016x}" for i in range(units)),
        "instance": text(f"synthetic-{i:05d}" for i in which),
        "instance_sha256": text(instances[i][0] for i in which),
        "repetition": numpy.arange(units) // len(instances) + 1,
        "root_seed": numpy.zeros(units, int),
        "config": text([CONFIG]).repeat(units),
        "status": numpy.where(failed, b"failed", numpy.where(reached, b"target", b"ok")),
        "error": numpy.where(failed, ("no valid drawing found within the budget " + "x" * 400).encode(), b""),
    }
    columns.update({name: final[:, i] for i, name in enumerate(("K", "n_K", "Phi", "C"))})
    columns.update({f"initial_{name}": final[:, i] * 2 for i, name in enumerate(("K", "n_K", "Phi", "C"))})
    columns.update({f"claimed_{name}": final[:, i] for i, name in enumerate(("K", "n_K", "Phi", "C"))})
    columns.update(
        {
            "lower_bound": numpy.ones(units, int),
            "certificate": text([certificate]).repeat(units),
            "optimal": numpy.zeros(units, bool),
            "target_K": numpy.full(units, TARGET),
            "target_reached": reached,
            "time_to_target": numpy.where(reached, wall, numpy.nan),
            "time_to_best": wall * 0.9,
            "best_stage": text(["tempering"]).repeat(units),
            "wall_time": wall,
        }
    )
    columns.update(
        {
            name: random.integers(10**5, 10**6, units)
            for name in (
                "proposals_attempted",
                "proposals_valid",
                "proposals_evaluated",
                "proposals_accepted",
                "replica_steps",
                "exchanges_attempted",
                "exchanges_accepted",
            )
        }
    )
    columns.update(
        {
            "round_trips": random.integers(0, 30, units),
            "backend": text(["cpu"]).repeat(units),
            "start_provider": text(["fmmm+snake"]).repeat(units),
            "start_sha256": columns["instance_sha256"],
            "state_sha256": columns["instance_sha256"],
            "device": text(["cpu"]).repeat(units),
            "rank": numpy.arange(units) % 64,
            "host": text(f"node{i % 16}" for i in range(units)),
            "provenance": text(["0123456789abcdef"]).repeat(units),
        }
    )
    return columns, which, failed


def trace_of(K, wall, random):
    rows = numpy.zeros(12, TRACE)
    rows["seconds"] = numpy.sort(random.uniform(0.001, 0.9 * wall, 12))
    rows["K"] = K + numpy.arange(12)[::-1] * 3
    return rows


def replicas_of(random):
    rows = numpy.zeros(8, REPLICAS)
    rows["rung"], rows["temperature"] = numpy.arange(8), numpy.geomspace(0.05, 1, 8)
    rows["attempts_even"][:7], rows["accepts_even"][:7] = 100, random.integers(20, 60, 7)
    rows["hot_fraction"] = numpy.linspace(0, 1, 8)
    return rows


def writer(file, name, sample):
    """Function that adds a table like `sample` to a group, compact as those of lcn; h5py's own way takes
    several times as long.
    """
    group = file.create_group(name)
    kind, space = h5py.h5t.py_create(sample.dtype), h5py.h5s.create_simple(sample.shape)
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    creation.set_obj_track_times(False)

    def put(unit, values):
        h5py.h5d.create(group.id, unit, kind, space, creation).write(h5py.h5s.ALL, h5py.h5s.ALL, values)

    return put


def write(path, units, instances_count, seed=1):
    random = numpy.random.default_rng(seed)
    instances = make_instances(instances_count, random)
    columns, which, failed = columns_of(units, instances, random)
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file.attrs.update(
            {"format": numpy.bytes_("lcn"), "kind": numpy.bytes_("archive"), "schema_version": 1}
        )
        for name, values in columns.items():
            file.create_dataset(
                f"runs/{name}",
                data=values,
                chunks=(min(16_384, units),),
                compression="gzip",
                compression_opts=1,
                shuffle=True,
            )
        for sha256, document, _, _ in instances:
            group = file.create_group(f"instances/{sha256}")
            group["name"], group["json"] = numpy.bytes_(sha256[:8]), numpy.bytes_(document)
            group["certificate"] = numpy.bytes_("{}")
        file["provenance/0123456789abcdef"] = numpy.bytes_(
            json.dumps(
                {
                    "started": "2026-01-01T00:00:00Z",
                    "build": {"commit": "0" * 40, "dirty": False, "compiler": "GNU"},
                }
            )
        )
        schedule = numpy.zeros(30, SCHEDULE)
        schedule["steps"] = 1000
        put_trace, put_schedule = writer(file, "trace", numpy.zeros(12, TRACE)), writer(
            file, "schedule", schedule
        )
        put_replicas, put_drawing = writer(file, "replicas", numpy.zeros(8, REPLICAS)), writer(
            file, "drawings", instances[0][2]
        )
        for i in numpy.flatnonzero(~failed):
            unit = columns["unit"][i]
            put_trace(unit, trace_of(columns["K"][i], columns["wall_time"][i], random))
            put_schedule(unit, schedule)
            put_replicas(unit, replicas_of(random))
            put_drawing(unit, instances[which[i]][2])
    return columns, instances


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
