"""Helpers of the tests; run with PYTHONPATH at the built package."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import firm

PROGRAM = os.environ.get("FIRM_PROGRAM", "firm")


class StudyTest(unittest.TestCase):
    """A small simulated study in self.folder."""

    @classmethod
    def setUpClass(cls):
        cls._folder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls._folder.name)
        cls.study = firm.simulate(cls.folder / "study", size=24, angles=10,
                                  slices=2, noise=0.01)

    @classmethod
    def tearDownClass(cls):
        cls._folder.cleanup()


def run_firm(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr
