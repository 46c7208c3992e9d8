#!/usr/bin/env python3
"""Times the Python package against the program: the table of docs/performance.md, "Python".

usage: python_table.py PROGRAM [SIZE ANGLES TURNS]      with firm on the PYTHONPATH
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import firm


def seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def import_seconds(turns):
    """Median time of `import firm` beyond that of numpy, and with numpy, in a warm cache."""
    def run(code):
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    empty = statistics.median(run("pass") for _ in range(turns))
    numpy = statistics.median(run("import numpy") for _ in range(turns))
    package = statistics.median(run("import firm") for _ in range(turns))
    return numpy - empty, package - empty


def main(program, size=512, angles=180, turns=3):
    numpy, package = import_seconds(9)
    print(f"import numpy {numpy:.3f} s, import firm {package:.3f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        study = firm.simulate(folder / "study", size=size, angles=angles, noise=0.01)
        ends = {"firm recon": [], "firm.recon, save": []}
        solving = {key: [] for key in ends}
        for turn in range(turns):
            for key in ends:
                out = folder / f"{key.split(',')[0].replace(' ', '-')}-{turn}"
                if key == "firm recon":
                    took = seconds(lambda: subprocess.run(
                        [program, "recon", study, "--out", out], check=True,
                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                else:
                    took = seconds(lambda: firm.recon(study, progress=False).save(out))
                ends[key].append(took)
                solving[key].append(json.loads((out / "summary.json").read_text())["seconds"])
        print(f"{size} x {size} pixels, {angles} angles, median of {turns}")
        for key in ends:
            print(f"  {key:<18} {statistics.median(ends[key]):7.2f} s,"
                  f" solving {statistics.median(solving[key]):7.2f} s")
        one, other = (statistics.median(values) for values in ends.values())
        print(f"  overhead {100 * (other / one - 1):+.1f} %")
        A = firm.Projector(np.linspace(0, np.pi, angles, endpoint=False), size=size)
        x = np.ones((size, size), np.float32)
        core, y = A._core, np.empty((A.shape[0], 1), np.float32)
        column = x.reshape(-1, 1)
        core.forward(column, y)
        bare = statistics.median(seconds(lambda: core.forward(column, y)) for _ in range(15))
        whole = statistics.median(seconds(lambda: A.forward(x)) for _ in range(15))
        print(f"  A.forward {1e3 * whole:.2f} ms, the library alone {1e3 * bare:.2f} ms")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
