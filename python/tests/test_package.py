"""A wheel, made from the built tree and installed; the answer to other interpreters; types.

usage: test_package.py SOURCE BUILD
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
PACKAGE = BUILD / "python-module" / "package"


def run(*command, **more):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment.update(more.pop("env", {}))
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment, **more)


class PackageTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def test_wheel_is_built_and_installed_offline(self):
        done = run(sys.executable, "-m", "pip", "wheel", SOURCE, "--no-index", "--no-deps",
                   "--no-build-isolation", "--wheel-dir", self.folder, env={"FIRM_BUILT": BUILD})
        self.assertEqual(done.returncode, 0, done.stdout)
        (wheel,) = self.folder.glob("firm-*.whl")
        self.assertIn("cp3", wheel.name)
        done = run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target",
                   self.folder / "site", wheel)
        self.assertEqual(done.returncode, 0, done.stdout)
        done = run(sys.executable, "-c", "import firm; print(firm.__file__, firm.__version__)",
                   env={"PYTHONPATH": self.folder / "site"}, cwd=self.folder)
        self.assertIn(str(self.folder / "site"), done.stdout)
        self.assertTrue((self.folder / "site/firm/py.typed").exists())
        self.assertTrue((self.folder / "site/firm/_firm.pyi").exists())

    def test_interpreter_without_the_module_gets_a_clear_answer(self):
        copy = self.folder / "firm"
        shutil.copytree(PACKAGE / "firm", copy, ignore=shutil.ignore_patterns("*.so"))
        done = run(sys.executable, "-c", "import firm", env={"PYTHONPATH": self.folder},
                   cwd=self.folder)
        self.assertIn("firm: expected the compiled module firm._firm for", done.stdout)
        self.assertIn("docs/python.md", done.stdout)

    def test_build_without_pybind11_gets_a_clear_answer(self):
        # -S and -I: an interpreter without the packages of Debian.
        code = f"import sys; sys.argv = ['setup.py', '--name']; " \
               f"exec(compile(open('setup.py').read(), 'setup.py', 'exec'), " \
               f"{{'__file__': 'setup.py', '__name__': '__main__'}})"
        done = run(sys.executable, "-I", "-S", "-c", code, cwd=SOURCE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("firm: expected numpy, pybind11, skbuild for", done.stdout)
        self.assertIn("apt install", done.stdout)

    def test_other_interpreter_on_the_path(self):
        other = shutil.which("python3")
        if other is None or os.path.realpath(other) == os.path.realpath(sys.executable):
            self.skipTest("there is no other python3 on the PATH")
        done = run(other, "-c", "import firm; print('works')", env={"PYTHONPATH": PACKAGE},
                   cwd=self.folder)
        self.assertRegex(done.stdout, r"works|expected the compiled module|expected numpy")

    def test_types(self):
        done = run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", BUILD / "mypy",
                   "-p", "firm", env={"MYPYPATH": PACKAGE}, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
