"""The statistics of analysis/ against worked examples, and its crossing counts against `lcn eval`."""

import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["LCN_SOURCE_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "analysis"))
try:
    import numpy
    import pandas

    from comparison import median_interval, pairs, sign_test
    from crossings import crossing_counts, tuple_of
    from curves import quantile_curves, steps_of, times_for
    from survival import follow_up, kaplan_meier, median_time
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


class Survival(unittest.TestCase):
    # 6-MP arm of Freireich et al. (1963), the textbook example: weeks of remission, 12 of 21 censored.
    times = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
    reached = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]

    def test_kaplan_meier(self):
        at, at_risk, events, share, _ = kaplan_meier(self.times, self.reached)
        self.assertEqual(at.tolist(), [6, 7, 10, 13, 16, 22, 23])
        self.assertEqual(at_risk.tolist(), [21, 17, 15, 12, 11, 7, 6])
        self.assertEqual(events.tolist(), [3, 1, 1, 1, 1, 1, 1])
        self.assertEqual(
            [round(value, 3) for value in share], [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
        )

    def test_median(self):
        self.assertEqual(median_time(self.times, self.reached), (23, 13, math.inf))

    def test_all_reached_is_the_plain_distribution(self):
        _, _, _, share, _ = kaplan_meier([3, 1, 2, 4], [True] * 4)
        numpy.testing.assert_allclose(share, [0.75, 0.5, 0.25, 0])
        self.assertEqual(median_time([3, 1, 2, 4], [True] * 4)[0], 2)

    def test_none_reached(self):
        self.assertEqual(median_time([1, 2], [False, False]), (math.inf, math.inf, math.inf))
        self.assertEqual(len(kaplan_meier([], [])[0]), 0)

    def test_failed_units_stay_at_risk(self):
        runs = pandas.DataFrame(
            {
                "status": ["failed", "target", "interrupted"],
                "target_reached": [False, True, False],
                "time_to_target": [math.nan, 4.0, math.nan],
                "wall_time": [0.1, 4.0, 2.0],
            }
        )
        times, reached = follow_up(runs, 10.0)
        self.assertEqual(times.tolist(), [10, 4, 2])
        self.assertEqual(reached.tolist(), [False, True, False])
        self.assertEqual(kaplan_meier(times, reached)[1].tolist(), [2])

    def test_a_used_up_budget_of_steps_is_no_early_end(self):
        runs = pandas.DataFrame(
            {
                "target_reached": [True, False, False, False],
                "time_to_target": [1.5, math.nan, math.nan, math.nan],
                "status": ["target", "ok", "ok", "interrupted"],
                "wall_time": [1.5, 1.0, 1.2, 0.2],
            }
        )
        times, reached = follow_up(runs, 1.5, by_steps=True)
        self.assertEqual(times.tolist(), [1.5, 1.5, 1.5, 0.2])
        self.assertFalse(math.isfinite(median_time(times, reached)[0]))
        # by their own ends, one of four would be all that is left at 1.5 s
        self.assertEqual(median_time(*follow_up(runs, 1.5))[0], 1.5)


class Comparison(unittest.TestCase):
    def test_median_interval(self):
        # the 2nd and 9th of 10 hold the median with 1 - 2 * 11 / 1024 = 97.9 %, the 3rd and 8th with 89 %
        self.assertEqual(median_interval([3, 1, 2, 10, 9, 8, 4, 7, 6, 5]), (5.5, 2, 9))
        self.assertEqual(median_interval([1, 2, 3, 4, 5, 6]), (3.5, 1, 6))  # 1 - 2 / 64 = 96.9 %
        self.assertTrue(math.isnan(median_interval([1, 2, 3, 4, 5])[1]))  # 1 - 2 / 32 = 93.8 %

    def test_sign_test(self):
        verdict = sign_test([-1] * 9 + [1] + [0] * 5)
        self.assertEqual((verdict.better, verdict.equal, verdict.worse), (9, 5, 1))
        self.assertAlmostEqual(verdict.p, 2 * 11 / 1024)
        self.assertTrue(math.isnan(sign_test([0, 0]).p))

    def test_pairs(self):
        rows = [
            (0, "a", 1, (3, 2, 20, 4)),
            (1, "a", 1, (3, 1, 18, 4)),
            (0, "a", 2, (2, 1, 9, 3)),
            (1, "a", 2, (-1,) * 4),
            (0, "b", 1, (5, 1, 40, 9)),
            (1, "b", 1, (5, 1, 40, 9)),
            (0, "b", 2, (7, 1, 1, 1)),
        ]
        runs = pandas.DataFrame(
            [
                dict(
                    configuration=c,
                    instance_sha256=i,
                    name=i,
                    repetition=r,
                    root_seed=0,
                    **dict(zip(("K", "n_K", "Phi", "C"), t)),
                )
                for c, i, r, t in rows
            ]
        )
        table = pairs(runs, 0, 1).sort_values(["name", "repetition"])
        self.assertEqual(table.outcome.tolist(), [-1, 1, 0])
        self.assertEqual(table.difference.fillna(99).tolist(), [0, 99, 0])


class Curves(unittest.TestCase):
    def test_quantiles(self):
        trace = numpy.array([(1.0, 9), (2.0, 9), (3.0, 7)], dtype=[("seconds", "f8"), ("K", "i8")])
        steps = [steps_of(trace), (numpy.array([2.0]), numpy.array([5])), (numpy.array([]), numpy.array([]))]
        self.assertEqual(steps[0][0].tolist(), [1, 3])
        times = times_for(steps, 4.0)
        self.assertEqual(times.tolist(), [1, 2, 3, 4])
        low, middle, high = quantile_curves(steps, times)
        self.assertEqual(low.tolist(), [9, 5, 5, 5])
        self.assertEqual(middle.tolist(), [math.inf, 9, 7, 7])
        self.assertEqual(high.tolist(), [math.inf] * 4)


class Crossings(unittest.TestCase):
    def evaluated(self, points, edges, side):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "drawing.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(
                    {
                        "nodes": [{"id": i, "x": int(x), "y": int(y)} for i, (x, y) in enumerate(points)],
                        "edges": [{"source": int(a), "target": int(b)} for a, b in edges],
                        "width": side,
                        "height": side,
                    },
                    file,
                )
            result = subprocess.run(
                [os.environ["LCN_PROGRAM"], "eval", path, "--json"],
                capture_output=True,
                text=True,
                check=False,
            )
        document = json.loads(result.stdout)
        return tuple(document[key] for key in ("K", "n_K", "Phi", "C"))

    def test_against_the_oracle(self):
        # a small grid has touches, overlaps and coincident points; the largest one the largest products
        random = numpy.random.default_rng(3)
        for n, m, side in ((12, 40, 4), (30, 150, 12), (60, 400, 1000), (40, 300, 2**30)):
            rows, columns = numpy.triu_indices(n, 1)
            chosen = random.choice(len(rows), m, replace=False)
            edges = numpy.stack([rows[chosen], columns[chosen]], axis=1)
            points = random.integers(0, side + 1, (n, 2))
            with self.subTest(n=n, side=side):
                self.assertEqual(
                    tuple_of(crossing_counts(points, edges)), self.evaluated(points, edges, side)
                )

    def test_last_bit_at_the_border(self):
        # the second segment ends 1 in 2^60 off the first one's line: in float64 it would end on it
        side = 2**30
        points = numpy.array([(0, 0), (side - 1, side - 2), (0, 1), (side - 2, side - 3)])
        ends = points.astype(float)
        self.assertEqual(ends[1, 0] * ends[3, 1] - ends[1, 1] * ends[3, 0], 0)
        self.assertEqual(crossing_counts(points, numpy.array([(0, 1), (2, 3)])).tolist(), [1, 1])
        points[3, 1] += 1
        self.assertEqual(crossing_counts(points, numpy.array([(0, 1), (2, 3)])).tolist(), [0, 0])

    def test_limits(self):
        with self.assertRaises(ValueError):
            crossing_counts(numpy.array([(0, 0), (2**30 + 1, 0)]), numpy.array([(0, 1)]))
        self.assertEqual(tuple_of(crossing_counts(numpy.zeros((0, 2)), numpy.zeros((0, 2)))), (0, 0, 0, 0))


class Style(unittest.TestCase):
    def test_pyflakes(self):
        result = subprocess.run(
            [
                sys.executable,
                "-m",
                "pyflakes",
                os.path.join(SOURCE, "analysis"),
                os.path.join(SOURCE, "tests", "analysis"),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if "No module named pyflakes" in result.stderr:
            self.skipTest("pyflakes is not installed")
        self.assertEqual(result.stdout + result.stderr, "")


if __name__ == "__main__":
    unittest.main()
