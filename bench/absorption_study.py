#!/usr/bin/env python3
"""Times a whole reconstruction with self-absorption: six elements and XRT, five detector directions.

    bench/absorption_study.py PROGRAM [DIRECTORY] [--size 124] [--slices 32] [--angles 181] [--set KEY=VALUE ...]

Simulates a grain of rock (`firm simulate --preset minerals --self-absorption`, on a grid twice as fine), reconstructs
it, and prints wall time, processor time, the largest resident size, and masses found over true ones. The detectors
are given a small round face, so that the reconstruction takes five directions; the simulation has the middle one.
docs/performance.md, "Self-absorption", has the figures.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

FACE = 'detector_distance = "50 mm"\ndetector_diameter = "0.5 mm"\n'


def simulate(program, directory, options):
    subprocess.run(
        [program, "simulate", "--out", directory, "--preset", "minerals", "--self-absorption", "--noise", "0.01",
         "--size", str(options.size), "--angles", str(options.angles), "--slices", str(options.slices)],
        check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(directory, "study.toml")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text, count = re.subn(r"(?m)^(detector_side = .*\n)", r"\1" + FACE, text)
    if count != 6:
        sys.exit(f"{path}: expected 6 sites with detector_side, found {count}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def reconstruct(program, study, out, settings):
    """Returns wall seconds, processor seconds and bytes of the run."""
    command = [program, "recon", study, "--out", out, "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    start = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 5):
        sys.exit(f"firm recon: exit code {code}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, code


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("directory", nargs="?")
    parser.add_argument("--size", type=int, default=124)
    parser.add_argument("--slices", type=int, default=32)
    parser.add_argument("--angles", type=int, default=181)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.directory or temporary
        study = simulate(options.program, directory, options)
        out = os.path.join(directory, "run")
        wall, processor, memory, code = reconstruct(options.program, study, out, options.set)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
    print(f"{options.size}^2 x {options.slices} slices, {options.angles} angles, 6 elements and XRT, 5 directions")
    print(f"  wall {wall:.0f} s, processor {processor:.0f} s, {memory / 1e9:.2f} GB resident, exit code {code}")
    for key in ("rounds", "outer_rounds", "masses", "kept_fraction", "seconds"):
        if key in summary:
            print(f"  {key}: {json.dumps(summary[key])}")


if __name__ == "__main__":
    main()
