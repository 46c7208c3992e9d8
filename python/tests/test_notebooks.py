"""Executes the notebooks of examples/ and checks that they are committed with their pictures.

usage: test_notebooks.py EXAMPLES
"""
import concurrent.futures
import os
import pathlib
import sys
import tempfile
import unittest

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb"))


def execute(path):
    """Error of the notebook; none: it runs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=300, kernel_name="python3",
                                resources={"metadata": {"path": folder}})
        try:
            client.execute()
        except Exception as error:
            return f"{path.name}: {error}"
    return None


class NotebookTest(unittest.TestCase):
    def test_run(self):
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        self.assertEqual(len(NOTEBOOKS), 7)
        with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
            self.assertEqual([e for e in pool.map(execute, NOTEBOOKS) if e], [])

    def test_are_committed_with_pictures(self):
        for path in NOTEBOOKS:
            notebook = nbformat.read(path, as_version=4)
            outputs = [o for c in notebook.cells for o in c.get("outputs", [])]
            with self.subTest(path.name):
                self.assertTrue(any("image/png" in o.get("data", {}) for o in outputs))
                self.assertFalse(any(o.output_type == "error" or o.get("name") == "stderr"
                                     for o in outputs))
                self.assertTrue(all(c.execution_count for c in notebook.cells
                                    if c.cell_type == "code"))
                self.assertTrue(notebook.cells[0].source.startswith("# "))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
