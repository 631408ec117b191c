"""Tests of what judges a soak, with series that are made up: `python tests.py`."""

import doctest
import random
import types
import unittest

import fit
import samples
import slowness
import verdict

MIB = 1 << 20
MINUTES = [60.0 * minute for minute in range(61)]


def memory(grow, chooser=None, noise=0.1 * MIB):
    """An hour of a process of 30 MiB, whose memory `grow` says at each minute; it wavers by some pages."""
    chooser = chooser or random.Random(1)
    return [30 * MIB + grow(minute) * MIB + 4096 * round(chooser.gauss(0, noise) / 4096) for minute in range(61)]


class FitTests(unittest.TestCase):
    def word(self, values, limit=50 * MIB, times=None):
        return fit.judge(times or MINUTES, values, limit).word

    def test_a_leak_is_found_in_noise(self):
        for seed in range(50):
            values = memory(lambda minute: minute * 2 / 60, random.Random(seed))
            self.assertEqual(self.word(values), "rises", seed)
            found = fit.judge(MINUTES, values, 50 * MIB).fit
            self.assertAlmostEqual(found.slope * 3600 / MIB, 2, delta=0.6)
            self.assertTrue(found.low <= found.slope <= found.high)

    def test_noise_alone_is_no_leak(self):
        words = [self.word(memory(lambda minute: 0, random.Random(seed))) for seed in range(200)]
        self.assertLessEqual(words.count("rises"), 2)

    def test_what_stays_the_same_is_level(self):
        self.assertEqual(self.word([4 * MIB] * 61, 64 * MIB), "level")

    def test_a_cache_that_fills_is_no_leak(self):
        for seed in range(50):
            values = memory(lambda minute: 8 * (1 - 2.0 ** (-minute / 5)), random.Random(seed))
            self.assertNotEqual(self.word(values), "rises", seed)

    def test_a_single_step_is_no_leak(self):
        self.assertNotEqual(self.word(memory(lambda minute: 3 if minute > 30 else 0)), "rises")

    def test_a_file_left_open_every_ten_minutes_is_found(self):
        self.assertEqual(self.word([40 + minute // 10 for minute in range(61)], 100), "rises")

    def test_connections_that_come_and_go_are_no_open_files(self):
        chooser = random.Random(3)
        self.assertNotEqual(self.word([40 + chooser.randrange(4) for _ in range(61)], 100), "rises")

    def test_a_few_strange_samples_change_nothing(self):
        values = memory(lambda minute: 0)
        values[50] = values[58] = 500 * MIB
        self.assertNotEqual(self.word(values), "rises")
        leak = memory(lambda minute: minute * 3 / 60)
        leak[50] = leak[58] = 0
        self.assertEqual(self.word(leak), "rises")

    def test_what_falls_is_no_leak(self):
        self.assertNotEqual(self.word(memory(lambda minute: -minute / 10)), "rises")

    def test_a_short_run_says_nothing_of_a_month(self):
        short = [float(second) for second in range(16)]
        verdict = fit.judge(short, [float(second * MIB) for second in range(16)], 50 * MIB)
        self.assertEqual((verdict.word, verdict.text), ("open", "too short a run"))
        self.assertAlmostEqual(verdict.fit.slope, MIB)


class MemoryTests(unittest.TestCase):
    def test_memory_is_a_service_s_own_without_what_sqlite_holds(self):
        found = {"rss": 40 * MIB, "private": None, "heap": 9 * MIB, "sqlite": 5 * MIB, "files": 12}
        own = [verdict.own(found, figure) for figure in ("rss", "private", "heap", "files")]
        self.assertEqual(own, [35 * MIB, None, 4 * MIB, 12])
        self.assertIsNone(verdict.own(found | {"sqlite": None}, "rss"))
        series = [{"social": found}, {"social": found | {"sqlite": None}}, {"social": found | {"rss": 44 * MIB}}]
        self.assertEqual(verdict.median(series, "social", "rss"), 37 * MIB)
        self.assertIsNone(verdict.median(series[1:2], "social", "rss"))

    def test_a_service_that_does_not_say_what_it_holds_fails_the_run(self):
        known = {figure: 5 * MIB for figure in verdict.LIMITS}
        run = types.SimpleNamespace(begun=0, ended=300, samples=[
            {"second": 60 * number, "services": ["social"], "social": known | {"heap": None}} for number in range(6)])
        report = verdict.Report(run)
        lines = list(report.figures())
        self.assertTrue(any("social own heap, MiB" in line and "cannot be read" in line for line in lines))
        self.assertEqual(report.failures, ["social does not say what is allocated"])

    def test_what_sqlite_holds_may_fill_and_has_a_bound(self):
        filling = [minute * MIB / 5 for minute in range(61)]
        self.assertEqual(verdict.bounded(MINUTES, filling).word, "bounded")
        self.assertEqual(verdict.bounded(MINUTES, [*filling[:30], 25 * MIB, *filling[31:]]).word, "too much")

    def test_what_a_process_holds_is_read_from_its_metrics(self):
        text = '# TYPE racha_heap_bytes gauge\nracha_heap_bytes{service="social"} 9437184\n' + (
            'racha_sqlite_memory_bytes{service="social"} 1.5e+06\nracha_heap_bytes{service="gateway"} NaN\n')
        self.assertEqual(samples.held(text), {("heap", "social"): 9 * MIB, ("sqlite_memory", "social"): 1500000})


class CostTests(unittest.TestCase):
    def cost(self, grow, seed):
        chooser = random.Random(seed)
        return verdict.costlier(MINUTES, [6 * (1 + grow * minute / 60) * chooser.gauss(1, 0.02) for minute in range(61)]).word

    def test_calls_that_cost_more_and_more_are_found_and_noise_is_not(self):
        words = [self.cost(0.3, seed) for seed in range(50)]
        self.assertGreaterEqual(words.count("rises"), 45)
        self.assertEqual([self.cost(0, seed) for seed in range(50)].count("rises"), 0)

    def test_a_report_names_the_cost_of_calls(self):
        samples_ = [
            {"second": 60 * number, "services": ["social"], "clients": 14.0 * number, "social": {"cpu": 80.0 * number + number**2 / 2}}
            for number in range(61)]
        report = verdict.Report(types.SimpleNamespace(begun=0, ended=3600, samples=samples_))
        self.assertIn("rises", "".join(report.costs()))
        self.assertEqual(len(report.failures), 1)


class SlownessTests(unittest.TestCase):
    def test_each_slow_call_has_one_cause(self):
        # Ten seconds with a sync each 0.1 s, of which the one at 3 s took 0.4 s; woken late at 6 s.
        syncs = [(tenth / 10, 0.4 if tenth == 30 else 0.002) for tenth in range(100)]
        calls = [
            (2.9, 3.1, "entries.record", "activity", "write"), (3.35, 3.6, "messages.send", "social", "write"),
            (6.02, 6.1, "accounts.getMe", "identity", "read"), (8, 8.2, "days.get", "activity", "read"),
            (3.5, 3.6, "days.get", "activity", "read")]
        found = slowness.causes(calls, syncs, [(6, 0.05), (9, 0.011)], [(5, 6), (6, 7), (8.1, 9)], 0, 10)
        self.assertEqual((found.sync, found.wake, found.busy), (2, 1, 1))
        self.assertAlmostEqual(found.sync_share, 0.04)
        self.assertAlmostEqual(found.wake_share, 0.005)
        self.assertAlmostEqual(found.busy_share, 0.29)
        self.assertEqual([call[0] for call in found.left], [3.5])

    def test_on_a_disk_that_is_always_slow_no_sync_is(self):
        syncs = [(tenth / 10, 0.03) for tenth in range(100)]
        self.assertEqual(len(slowness.causes([(1, 2, "x", "y", "read")], syncs, [], [], 0, 10).left), 1)


def load_tests(_, tests, __):
    for module in (fit, slowness):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
