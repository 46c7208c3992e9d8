"""Checks that common viewers can open the files of a run: viewer_test.py PROGRAM

h5py stands for silx and h5web, which follow `default` to an NXdata group and show its `signal`
over its `axes`; tifffile stands for ImageJ.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib

import h5py
import numpy
import tifffile

SLICES, SIDE, PIXEL_UM = 3, 24, 0.65
UNITS = {"density": "g/cm^3", "attenuation": "1/cm", "multiplier": "1"}


def check(condition, *message):
    if not condition:
        raise AssertionError(" ".join(str(part) for part in message))


def text(attributes, name):
    """Returns an attribute, which must be text: viewers accept neither bytes nor an array."""
    check(name in attributes, "no attribute", name)
    value = attributes[name]
    check(isinstance(value, str), name, "is", type(value))
    return value


def default_data(file):
    """Returns the group that a viewer opens first."""
    check(text(file.attrs, "NX_class") == "NXroot", "root")
    entry = file[text(file.attrs, "default")]
    check(text(entry.attrs, "NX_class") == "NXentry", entry.name)
    return entry[text(entry.attrs, "default")]


def check_data(group):
    check(text(group.attrs, "NX_class") == "NXdata", group.name)
    signal = group[text(group.attrs, "signal")]
    check(signal.dtype == numpy.float32, signal.name, signal.dtype)
    check(signal.shape == (SLICES, SIDE, SIDE), signal.name, signal.shape)
    check(text(signal.attrs, "units") == UNITS[signal.name.split("/")[-1]], signal.name)
    check(text(signal.attrs, "interpretation") == "image", signal.name)
    check(text(signal.attrs, "units") in text(signal.attrs, "long_name"), signal.name)
    check(group["title"].asstr()[()] == group.name.split("/")[-1], group.name)

    axes = group.attrs["axes"]
    check(len(axes) == signal.ndim and all(isinstance(a, str) for a in axes), axes)
    for axis, size in zip(axes, signal.shape):
        check(group[axis].shape == (size,), axis, group[axis].shape)
        check(numpy.all(numpy.diff(group[axis][:]) > 0), axis, "does not rise")
    check(list(group["slice"]) == list(range(SLICES)), "slice")
    for axis in ("row", "column"):
        centres = (numpy.arange(SIDE) + 0.5) * PIXEL_UM
        check(numpy.allclose(group[axis], centres), axis, group[axis][:])
        check(text(group[axis].attrs, "units") == "um", axis)
    return signal


def check_units(file):
    """Checks that every number has a unit."""
    def visit(name, thing):
        if isinstance(thing, h5py.Dataset) and thing.dtype.kind != "O":
            text(thing.attrs, "units")
    file.visititems(visit)


def check_process(file):
    process = file["entry/process"]
    check(text(process.attrs, "NX_class") == "NXprocess", "process")
    check(process["program"].asstr()[()] == "firm", "program")
    check(process["version"].asstr()[()] == text(file["entry/program_name"].attrs, "version"),
          "version")
    study = tomllib.loads(process["study"].asstr()[()])
    check(len(study["site"]) == 4 and study["image"]["slices"] == SLICES, study)
    check(study["solve"]["method"] == "firm-ds" and "firm.eps" in flat(study["solve"]), study)
    summary = json.loads(process["summary"].asstr()[()])
    check(summary["termination"]["converged"], summary)
    check("date" not in summary and "date" not in process, "a date")


def flat(table, prefix=""):
    keys = set()
    for key, value in table.items():
        keys |= flat(value, prefix + key + ".") if isinstance(value, dict) else {prefix + key}
    return keys


def check_tiffs(run, site, images):
    for k in range(SLICES):
        path = run / "recon" / f"{site}_rec" / f"recon_{k:05}.tiff"
        with tifffile.TiffFile(path) as tiff:
            page = tiff.pages[0]
            values = page.asarray()
            check(values.dtype == numpy.float32, path, values.dtype)
            check(values.tobytes() == images[k].tobytes(), path, "differs from images.h5")
            # ImageJ reads centimetres from the tags and converts to the unit um of the description.
            check(page.tags["ResolutionUnit"].value == 3, path)
            check(tiff.is_imagej and tiff.imagej_metadata["unit"] == "um", tiff.imagej_metadata)
            for tag in ("XResolution", "YResolution"):
                above, below = page.tags[tag].value
                check(abs(below / above * 1e4 - PIXEL_UM) < 1e-6, path, tag, above, below)
            check(tiff.imagej_metadata["site"] == site, tiff.imagej_metadata)
            check(tiff.imagej_metadata["slice"] == k, tiff.imagej_metadata)


def check_run(run):
    with h5py.File(run / "images.h5") as file:
        check(default_data(file).name == "/entry/xrt", default_data(file).name)
        check_units(file)
        check_process(file)
        for site in ("xrf-1", "xrf-2", "xrf-3", "xrt"):
            signal = check_data(file["entry"][site])
            check(signal[:].max() > 0, site, "is empty")
            check_tiffs(run, site, signal[:])
        check_data(file["entry/multiplier"])


def main(program):
    with tempfile.TemporaryDirectory(prefix="firm-viewer-") as name:
        folder = pathlib.Path(name)

        def firm(*arguments):
            subprocess.run([program, *arguments], cwd=folder, check=True, timeout=300,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        firm("simulate", "--out", "s", "--preset", "elements", "--size", str(SIDE), "--angles",
             "8", "--slices", str(SLICES), "--pixel-size", str(PIXEL_UM))
        with h5py.File(folder / "s" / "truth.h5") as file:
            check_data(default_data(file))
            check_units(file)
        recon = ("recon", "s/study.toml", "--set", "stop.kkt=1e-3", "--out")
        firm(*recon, "a")
        check_run(folder / "a")
        firm(*recon, "chunks", "--set", "chunks=2")
        check_run(folder / "chunks")

        # A later run writes the same bytes: only summary.json has the date.
        time.sleep(1.1)
        firm(*recon, "b")
        dates = [json.loads((folder / run / "summary.json").read_text())["date"] for run in "ab"]
        days = [datetime.datetime.fromisoformat(date) for date in dates]
        check(days[0] < days[1] and days[0].tzinfo is not None, dates)
        for path in sorted((folder / "a").rglob("*")):
            other = folder / "b" / path.relative_to(folder / "a")
            if path.is_file() and path.suffix in (".h5", ".tiff", ".png"):
                check(path.read_bytes() == other.read_bytes(), path, "differs")


if __name__ == "__main__":
    main(sys.argv[1])
