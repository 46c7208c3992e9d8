"""recon of files and arrays: the bytes of the command line, errors, Ctrl-C, saving."""
import signal
import sys
import threading
import unittest

import numpy as np

import firm
from support import StudyTest, run_firm


class FileTest(StudyTest):
    def test_gives_the_bytes_of_the_command_line(self):
        code, _, _ = run_firm("recon", self.study, "--out", self.folder / "cli", "--prior", "tv")
        self.assertEqual(code, 0)
        run = firm.recon(self.study, prior="tv")
        run.save(self.folder / "python")
        for name in ("images.h5", "overview.png", "study.toml"):
            self.assertEqual((self.folder / "cli" / name).read_bytes(),
                             (self.folder / "python" / name).read_bytes(), name)
        there = firm.load(self.folder / "cli")
        self.assertEqual(list(there), list(run))
        for name in run:
            np.testing.assert_array_equal(there[name], run[name])
        np.testing.assert_array_equal(there.history["objective"], run.history["objective"])
        tiffs = sorted(p.relative_to(self.folder / "cli")
                       for p in (self.folder / "cli" / "recon").rglob("*.tif*"))
        self.assertTrue(tiffs)
        for path in tiffs:
            self.assertEqual((self.folder / "cli" / path).read_bytes(),
                             (self.folder / "python" / path).read_bytes(), path)

    def test_writes_into_a_directory(self):
        run = firm.recon(self.study, out=self.folder / "out", max_memory=10**9)
        self.assertEqual(run.path, self.folder / "out")
        self.assertEqual(run["xrf-1"].shape, (2, 24, 24))
        self.assertAlmostEqual(run.pixel_size, 1e-4)
        with self.assertRaisesRegex(firm.Error, "out"):
            firm.recon(self.study, out=self.folder / "out")
        with self.assertRaisesRegex(firm.Error, "copy that directory"):
            run.save(self.folder / "elsewhere")

    def test_shows_itself(self):
        run = firm.recon(self.study, truth=self.folder / "study/truth.h5")
        self.assertIn("firm-ds converged", repr(run))
        page = run._repr_html_()
        self.assertIn("data:image/png;base64,", page)
        self.assertEqual(page.count("<tr>"), 1 + len(run))
        self.assertLess(run.certificate["relative"], 1)
        self.assertEqual(run.units["xrt"], "1/cm")
        self.assertEqual(len(run.history["residuals"]["xrt"]), len(run.history["round"]))
        self.assertIn("error_to_truth", run.summary)
        with self.assertRaises(KeyError):
            run["gold"]

    def test_images_are_views_that_cannot_be_written(self):
        run = firm.recon(self.study, options={"stop.rounds": 2})
        image = run["xrf-1"]
        self.assertIs(image, run["xrf-1"])
        self.assertIsNotNone(image.base)
        with self.assertRaises(ValueError):
            image[0, 0, 0] = 1
        copy = np.array(image)
        del run
        np.testing.assert_array_equal(image, copy)

    def test_xarray(self):
        xarray = firm.recon(self.study, options={"stop.rounds": 2}).to_xarray()
        self.assertEqual(dict(xarray.sizes), {"slice": 2, "y": 24, "x": 24})
        self.assertEqual(xarray["xrt"].attrs["units"], "1/cm")
        self.assertAlmostEqual(float(xarray.x[1] - xarray.x[0]), 1e-4)
        self.assertGreater(float(xarray.y[0]), float(xarray.y[-1]))

    def test_errors_have_the_text_of_the_command_line(self):
        (self.folder / "wrong.toml").write_text("[study]\nname = 'x'\n[imag]\n")
        for arguments in (["wrong.toml"], ["missing.toml"]):
            path = str(self.folder / arguments[0])
            code, _, text = run_firm("recon", path, "--out", self.folder / "none")
            with self.assertRaises(firm.Error) as caught:
                firm.recon(path)
            self.assertEqual(text, f"firm: error: {caught.exception}\n")
            self.assertEqual(caught.exception.exit_code, code)
            self.assertEqual(caught.exception.kind, "usage")
        with self.assertRaisesRegex(firm.Error, "stop.kkd.*did you mean"):
            firm.recon(self.study, options={"stop.kkd": 1})

    def test_on_round(self):
        records = []
        run = firm.recon(self.study, on_round=records.append, progress=False)
        self.assertEqual(records[-1]["round"], run.summary["rounds"])
        self.assertEqual(records[-1]["objective"], run.history["objective"][-1])
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            firm.recon(self.study, on_round=lambda record: 1 / 0)

    def test_releases_the_interpreter(self):
        # Python itself lets no other thread run within the switch interval.
        seen = threading.Event()
        ended = threading.Event()
        state = {"inside": False}

        def look():
            while not ended.wait(0.001):
                if state["inside"]:
                    seen.set()

        before = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        thread = threading.Thread(target=look)
        thread.start()
        try:
            for _ in range(20):
                state["inside"] = True
                firm.recon(self.study, options={"ds.local_steps": 1})
                state["inside"] = False
                if seen.is_set():
                    break
        finally:
            sys.setswitchinterval(before)
            ended.set()
            thread.join()
        self.assertTrue(seen.is_set())

    def test_progress_bar(self):
        import contextlib
        import io
        import unittest.mock
        shown = io.StringIO()
        with contextlib.redirect_stderr(shown), unittest.mock.patch("firm.progress._PATIENCE", 0):
            firm.recon(self.study, progress=True)
        self.assertIn("reading the data", shown.getvalue())
        self.assertIn("solving", shown.getvalue())


class InterruptTest(StudyTest):
    SLOW = {"ds.local_steps": 1}

    def interrupt(self, **arguments):
        def at_third_round(record):
            if record["round"] == 3:
                signal.raise_signal(signal.SIGINT)

        with self.assertRaises(firm.Interrupted) as caught:
            firm.recon(self.study, options=self.SLOW, on_round=at_third_round, **arguments)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)
        return caught.exception.run

    def test_in_memory_leaves_a_run_that_resumes(self):
        run = self.interrupt()
        self.assertFalse(run.converged)
        run.save(self.folder / "kept")
        resumed = firm.recon(self.study, out=self.folder / "kept", resume=True)
        whole = firm.recon(self.study, options=self.SLOW)
        self.assertTrue(resumed.converged)
        np.testing.assert_array_equal(resumed.xrt, whole.xrt)

    def test_in_directory_leaves_a_run_that_resumes(self):
        self.interrupt(out=self.folder / "stopped")
        resumed = firm.recon(self.study, out=self.folder / "stopped", resume=True)
        self.assertTrue(resumed.converged)
        self.assertTrue(np.array_equal(resumed.xrt, firm.recon(self.study, options=self.SLOW).xrt))


class ArrayTest(unittest.TestCase):
    THETA = np.linspace(0, np.pi, 24, endpoint=False)

    def setUp(self):
        self.A = firm.Projector(self.THETA, size=32, beamlets=46, center=24.5, pixel_size=1e-4)
        self.iron = np.zeros((2, 32, 32), np.float32)
        self.iron[:, 8:18, 10:22] = 2
        self.iron[1, 20:25, 20:25] = 1
        self.b = self.A.forward(self.iron)
        self.xrt = self.b * firm.attenuation_coefficient("Fe", 12.0)
        self.keys = dict(energy=12.0, size=32, center=24.5, sigma=None)

    def test_every_type_and_stride_gives_the_same_image(self):
        run = firm.recon({"Fe": self.b, "xrt": self.xrt}, self.THETA, **self.keys)
        self.assertLess(np.abs(run["Fe"] - self.iron).max(), 0.3)
        wide = {"Fe": np.asfortranarray(self.b), "xrt": np.ascontiguousarray(self.xrt)}
        twice = {"Fe": np.repeat(self.b, 2, axis=2)[:, :, ::2], "xrt": self.xrt.astype(np.float64)}
        for arrays in (wide, twice):
            other = firm.recon(arrays, self.THETA, **self.keys)
            np.testing.assert_array_equal(other["Fe"], run["Fe"])

    def test_saved_arrays_can_be_repeated_by_the_command_line(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            run = firm.recon({"Fe": self.b, "xrt": self.xrt}, self.THETA, **self.keys)
            run.save(folder + "/run")
            code, _, text = run_firm("recon", folder + "/run/study.toml", "--out", folder + "/cli")
            self.assertEqual(code, 0, text)
            np.testing.assert_array_equal(firm.load(folder + "/cli")["Fe"], run["Fe"])

    def test_float32_is_not_copied(self):
        from firm.arrays import float_view
        for array in (self.b, np.ascontiguousarray(self.b), self.b[:, :1, ::2]):
            view = float_view("test", "b", array)
            self.assertTrue(np.shares_memory(view, array))

    def test_counts_with_flat_and_dark(self):
        rng = np.random.default_rng(1)
        beam = 1e5
        counts = rng.poisson(beam * np.exp(-self.xrt) + 10).astype(np.float32)
        flat = np.full((2, 2, 46), beam + 10, np.float32)
        dark = np.full((2, 2, 46), 10, np.float32)
        run = firm.recon({"Fe": self.b + rng.normal(0, 1e-6, self.b.shape), "xrt": counts},
                         self.THETA, flat=flat, dark=dark,
                         **{**self.keys, "sigma": {"Fe": 1e-6, "xrt": "counts"}})
        self.assertLess(np.abs(run["Fe"] - self.iron).mean(), 0.1)

    def test_missing_values_and_axis(self):
        holes = self.xrt.copy()
        holes[3, :, 20:24] = np.nan
        run = firm.recon({"Fe": self.b, "xrt": holes}, self.THETA,
                         **{**self.keys, "center": "auto"})
        self.assertLess(np.abs(run["Fe"] - self.iron).mean(), 0.1)

    def test_self_absorption(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            study = firm.simulate(folder, size=24, angles=20, noise=0.01, self_absorption=True)
            scans = {name: firm.read(f"{folder}/{name}.h5")
                     for name in ("xrf-1", "xrf-2", "xrf-3", "xrt")}
            from_file = firm.recon(study)
        compounds = {"xrf-1": ("CaCO3", "Ca Ka"), "xrf-2": ("Fe", "Fe Ka"), "xrf-3": ("Zn", "Zn Ka")}
        arrays = {compounds[name][0] if name in compounds else name: scan["data"]
                  for name, scan in scans.items()}
        keys = {compound: {"line": line, "detector_side": "+t"}
                for compound, line in compounds.values()}
        beamlets = arrays["xrt"].shape[2]
        run = firm.recon(arrays, scans["xrt"].theta, energy=12.0, size=24, center=beamlets / 2,
                         pixel_size=from_file.pixel_size, self_absorption=True, site_keys=keys)
        for name, (compound, _) in compounds.items():
            np.testing.assert_array_equal(run[compound], from_file[name])
            self.assertLess(run.summary["kept_fraction"][compound], 0.9)
        with self.assertRaisesRegex(firm.Error, "detector_side"):
            firm.recon(arrays, scans["xrt"].theta, energy=12.0, size=24, self_absorption=True)
        with self.assertRaisesRegex(firm.Error, "matrx"):
            firm.recon(arrays, scans["xrt"].theta, energy=12.0, study_keys={"matrx": "SiO2"})

    def test_wrong_arrays_are_named(self):
        with self.assertRaisesRegex(firm.Error, "an array named 'xrt'"):
            firm.recon({"Fe": self.b}, self.THETA)
        with self.assertRaisesRegex(firm.Error, "use numpy.deg2rad"):
            firm.recon({"Fe": self.b, "xrt": self.xrt}, np.rad2deg(self.THETA))
        with self.assertRaisesRegex(firm.Error, "24 angles, one per projection, found 23"):
            firm.recon({"Fe": self.b, "xrt": self.xrt}, self.THETA[1:], energy=12.0)
        with self.assertRaisesRegex(firm.Error, "coefficient"):
            firm.recon({"Gold": self.b, "xrt": self.xrt}, self.THETA, energy=12.0)
        with self.assertRaises(TypeError):
            firm.recon("study.toml", energy=12.0)

    def test_one_modality(self):
        image = firm.recon_one(self.xrt / 1e-4, self.THETA, center=24.5, size=32, sigma=None)
        self.assertEqual(image.shape, (2, 32, 32))
        alone = firm.recon_one(self.xrt[:, 0] / 1e-4, self.THETA, center=24.5, size=32, sigma=None)
        self.assertEqual(alone.shape, (32, 32))
        expected = self.iron * firm.attenuation_coefficient("Fe", 12.0)
        self.assertLess(np.abs(image - expected).mean(), 0.05 * expected.max())
        smooth = firm.recon_one(self.xrt / 1e-4, self.THETA, center=24.5, size=32, prior="tv")
        self.assertEqual(smooth.shape, (2, 32, 32))


if __name__ == "__main__":
    unittest.main()
