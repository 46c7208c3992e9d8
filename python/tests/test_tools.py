"""Projector, Scan, inspect, simulate, align, calibrate, Federation, import."""
import ast
import doctest
import importlib
import json
import pathlib
import re
import subprocess
import sys
import threading
import types
import unittest
import warnings

import numpy as np
import scipy.sparse.linalg

import firm
from support import StudyTest, run_firm


class ProjectorTest(unittest.TestCase):
    def setUp(self):
        self.A = firm.Projector(np.linspace(0, np.pi, 15, endpoint=False), size=(20, 24),
                                beamlets=30, slices=3)
        self.rng = np.random.default_rng(1)

    def test_is_an_operator(self):
        A = self.A
        self.assertIsInstance(A, scipy.sparse.linalg.LinearOperator)
        dense = A @ np.eye(A.shape[1], dtype=np.float32)
        np.testing.assert_allclose(A.T @ np.eye(A.shape[0], dtype=np.float32), dense.T, atol=1e-5)
        np.testing.assert_allclose(A.norm, np.linalg.norm(dense, 2), rtol=1e-3)
        x = self.rng.random(A.shape[1])
        np.testing.assert_allclose(A @ x, dense @ x, rtol=1e-3, atol=1e-3)
        solution = scipy.sparse.linalg.lsqr(A, A @ x, iter_lim=200)[0]
        np.testing.assert_allclose(A @ solution, A @ x, rtol=1e-2, atol=1e-2)

    def test_stacks(self):
        A = self.A
        stack = self.rng.random((3, 20, 24), np.float32)
        y = A.forward(stack)
        self.assertEqual(y.shape, (15, 3, 30))
        np.testing.assert_allclose(y[:, 1, :].ravel(), A @ stack[1].ravel(), rtol=1e-4)
        x = A.adjoint(y)
        self.assertEqual(x.shape, stack.shape)
        np.testing.assert_allclose(x[2].ravel(), A.T @ y[:, 2, :].ravel(), rtol=1e-4)
        np.testing.assert_array_equal(A.forward(np.asfortranarray(stack).astype(float)), y)
        with self.assertRaisesRegex(firm.Error, "expected images"):
            A.forward(stack[:, 1:])
        with self.assertRaisesRegex(firm.Error, "expected projections"):
            A.adjoint(y[1:])

    def test_memory_of_numpy_is_used(self):
        # One slice: no copy of the input; the bytes at its address are projected.
        core = self.A._core
        x = np.zeros((480, 1), np.float32)
        y = np.empty((450, 1), np.float32)
        x[100] = 1
        core.forward(x, y)
        self.assertGreater(y.sum(), 0)
        with self.assertRaises(TypeError):  # no silent conversion
            core.forward(x.astype(np.float64), y)

    def test_threads_share_it(self):
        x = self.rng.random(self.A.shape[1], np.float32)
        expected = self.A @ x
        results = []
        threads = [threading.Thread(target=lambda: results.append(self.A @ x)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            np.testing.assert_array_equal(result, expected)

    def test_adapters_of_the_guide(self):
        """Runs the adapters of docs/python.md with base classes of the shape of pylops and CIL."""
        guide = (pathlib.Path(__file__).parents[2] / "docs/python.md").read_text()
        code = re.search(r"```python\n(class FirmPylops.*?)```", guide, re.S)[1]

        class Pylops:
            def __init__(self, dtype, shape):
                self.dtype, self.shape = dtype, shape

        class Geometry:
            def __init__(self, shape):
                self.shape = shape

            def allocate(self):
                return Container(np.zeros(self.shape, np.float32))

        class Container:
            def __init__(self, array):
                self.array = array

            def as_array(self):
                return self.array

            def fill(self, values):
                self.array[...] = values

        class Cil:
            def __init__(self, domain_geometry, range_geometry):
                self._domain, self._range = domain_geometry, range_geometry

            def domain_geometry(self):
                return self._domain

            def range_geometry(self):
                return self._range

        space = types.SimpleNamespace
        names = {"pylops": space(LinearOperator=Pylops),
                 "cil": space(optimisation=space(operators=space(LinearOperator=Cil)))}
        exec(code, names)
        A = self.A
        x = self.rng.random(A.shape[1], np.float32)
        pylops = names["FirmPylops"](A)
        self.assertEqual(pylops.shape, A.shape)
        np.testing.assert_array_equal(pylops._matvec(x), A @ x)
        np.testing.assert_array_equal(pylops._rmatvec(A @ x), A.T @ (A @ x))
        cil = names["FirmCil"](A, Geometry((20, 24)), Geometry((15, 30)))
        image = Container(x.reshape(20, 24))
        y = cil.direct(image)
        np.testing.assert_array_equal(y.as_array().ravel(), A @ x)
        np.testing.assert_array_equal(cil.adjoint(y).as_array().ravel(), A.T @ (A @ x))
        self.assertIs(cil.adjoint(y, out=image), image)


class ScanTest(StudyTest):
    def test_reads_values_and_angles(self):
        scan = firm.read(self.folder / "study/xrf-1.h5")
        self.assertEqual(scan.elements, ["data"])
        self.assertEqual(scan["data"].shape, (10, 2, 34))
        self.assertAlmostEqual(scan.theta[1], np.pi / 10)
        np.testing.assert_array_equal(scan.read(first=1, count=1)[:, 0], scan["data"][:, 1])
        self.assertIn("Data Exchange", repr(scan))
        with self.assertRaises(KeyError):
            scan["Fe"]
        with self.assertRaises(firm.Error):
            firm.read(self.study)

    def test_elements(self):
        firm.simulate(self.folder / "counts", preset="elements", size=16, angles=6, xrf_counts=1e4)
        scan = firm.read(self.folder / "counts/xrf.h5")
        self.assertEqual(scan.elements, ["Ca", "Fe", "Zn"])
        self.assertEqual(scan["Zn"].shape, (6, 1, 23))

    def test_flat_and_dark(self):
        firm.simulate(self.folder / "counted", size=16, angles=6, counts=1e4)
        scan = firm.read(self.folder / "counted/xrt.h5")
        self.assertEqual(scan.flat.shape[1:], scan["data"].shape[1:])
        self.assertEqual(scan.dark.shape[1:], scan["data"].shape[1:])
        self.assertGreater(scan.flat.mean(), scan["data"].mean())
        self.assertGreater(scan["data"].mean(), scan.dark.mean())
        self.assertIsNone(firm.read(self.folder / "counted/xrf-1.h5").flat)

    def test_inspect_gives_the_json_of_the_command_line(self):
        path = self.folder / "study/xrt.h5"
        _, text, _ = run_firm("inspect", path, "--json")
        self.assertEqual(firm.inspect(path), json.loads(text))


class VerbTest(StudyTest):
    def test_simulate_gives_the_bytes_of_the_command_line(self):
        run_firm("simulate", "--out", self.folder / "cli", "--size", "24",
                 "--angles", "10", "--slices", "2", "--noise", "0.01")
        for name in ("study.toml", "xrf-1.h5", "truth.h5"):
            self.assertEqual((self.folder / "cli" / name).read_bytes(),
                             (self.folder / "study" / name).read_bytes(), name)
        with self.assertRaisesRegex(firm.Error, "did you mean"):
            firm.simulate(self.folder / "none", sise=3)

    def test_simulate_knows_the_options_of_the_command_line(self):
        _, text, _ = run_firm("simulate", "--help")
        options = set(re.findall(r"^  --([a-z-]+)", text, re.M)) - {"out"}
        self.assertIn("noise", options)
        for option in options:
            with self.assertRaisesRegex(firm.Error, f"{option}: expected"):
                firm.simulate(self.folder / "none", **{option.replace("-", "_"): "x"})

    def test_calibrate(self):
        out = self.folder / "calibrated.toml"
        result = firm.calibrate(self.study, out)
        self.assertTrue(out.exists())
        _, text, _ = run_firm("calibrate", self.study, "--json", "--out", out)
        self.assertEqual(result, json.loads(text))

    def test_align(self):
        bad = firm.simulate(self.folder / "bad", preset="elements", size=24, angles=16, noise=0.01,
                            axis_offset=1.5)
        found = firm.align(bad, self.folder / "refined.toml", refine=["axis"])
        self.assertIn("axis", found["sites"]["xrt"])
        _, text, _ = run_firm("align", bad, "--refine", "axis", "--json", "--out",
                              self.folder / "cli.toml")
        self.assertEqual(found, json.loads(text))

    def test_find_axis(self):
        scan = firm.read(self.folder / "study/xrt.h5")
        axis = firm.find_axis(scan["data"], scan.theta)
        self.assertAlmostEqual(axis.center, scan.beamlets / 2, delta=1)


class FederationTest(StudyTest):
    def test_gives_the_images_of_separate_sites(self):
        with firm.Federation(self.study, out=self.folder / "federation") as federation:
            runs = federation.wait(timeout=120)
            self.assertGreater(federation.port, 0)
        alone = firm.recon(self.study, out=self.folder / "separate", separate=True)
        self.assertEqual(list(runs), ["xrf-1", "xrf-2", "xrf-3", "xrt"])
        for site, run in runs.items():
            np.testing.assert_array_equal(run[site], alone[site])

    def test_runs_outlive_a_temporary_directory(self):
        with firm.Federation(self.study) as federation:
            runs = federation.wait(timeout=120)
        self.assertFalse(federation.out.exists())
        self.assertIn("data:image/png", runs["xrt"]._repr_html_())
        self.assertGreater(len(runs["xrt"].history["round"]), 1)

    def test_tells_what_failed(self):
        with self.assertRaisesRegex(firm.Error, "no 'no-such-firm'"):
            firm.Federation(self.study, program="no-such-firm")
        with self.assertRaisesRegex(firm.Error, "stop.kkd"):
            with firm.Federation(self.study, options={"stop.kkd": 1}) as federation:
                federation.wait(timeout=60)


class ImportTest(unittest.TestCase):
    def test_imports_no_more_than_numpy(self):
        code = "import firm, sys; print([m for m in ('scipy', 'tqdm', 'xarray', 'matplotlib') " \
               "if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n", done.stderr)

    def test_examples_of_docstrings(self):
        warnings.simplefilter("ignore", ResourceWarning)  # folders of examples, removed at the end
        for name in ("", ".recon", ".run", ".projector", ".scan", ".tools"):
            result = doctest.testmod(importlib.import_module("firm" + name))
            self.assertEqual(result.failed, 0, name)
            self.assertGreater(result.attempted, 0, name)

    def test_stubs_have_the_names_of_the_module(self):
        from firm import _firm
        stub = pathlib.Path(_firm.__file__).parent / "_firm.pyi"
        for node in ast.parse(stub.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name != "Error":
                members = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
                found = {name for name in vars(getattr(_firm, node.name)) if name[0] != "_"}
                self.assertEqual(members - {"__init__"}, found, node.name)
        names = {node.name for node in ast.parse(stub.read_text()).body
                 if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(names, {name for name in dir(_firm) if name[0] != "_"})

    def test_everything_public_has_a_docstring(self):
        for name in firm.__all__:
            if name != "__version__":
                self.assertTrue(getattr(firm, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
