"""Run: the result of a reconstruction, in memory or in a directory."""
from __future__ import annotations

import base64
import html
import json
import os
import pathlib
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy as np

from . import _firm
from .arrays import Floats, PathLike, usage_error


class Run(Mapping[str, Floats]):
    """Images of a run, by name, and how they were found.

    A mapping: ``run["Fe"]`` is a NumPy array (slices, rows, columns) of float32, a view of the
    memory of the run that cannot be written. ``list(run)`` are the names, ``"xrt"`` the last.

    Attributes
    ----------
    units : dict
        Unit of each image: 'g/cm^3', '1/cm', or 'counts/cm' for an element without a scale.
    summary : dict
        The content of summary.json (docs/formats.md).
    certificate : dict
        How far the images are from optimal, ``summary["kkt"]``.
    history : dict
        One NumPy array per number of history.jsonl, such as ``run.history["objective"]``; numbers
        of each site are in a dictionary, ``run.history["residuals"]["Fe"]``.
    warnings : list of str
        Warnings about the data and its fit.
    pixel_size : float
        Size of a pixel in cm.
    path : pathlib.Path or None
        Directory of the run; None: it is only in memory.

    Examples
    --------
    >>> import tempfile, firm
    >>> folder = tempfile.TemporaryDirectory()
    >>> run = firm.recon(firm.simulate(folder.name + "/study", size=24, angles=8, noise=0.01))
    >>> list(run)
    ['xrf-1', 'xrf-2', 'xrf-3', 'xrt']
    >>> bool(run.history["objective"][-1] < run.history["objective"][0])
    True
    >>> run.save(folder.name + "/run")
    >>> firm.load(folder.name + "/run")["xrt"].shape
    (1, 24, 24)
    """

    def __init__(self, source: Any) -> None:
        self._source = source
        self._images: Dict[str, Floats] = {}
        self.summary: Dict[str, Any] = json.loads(source.summary())
        self.path: Optional[pathlib.Path] = source.path

    # --- images

    def __getitem__(self, name: str) -> Floats:
        if name not in self._source.names:
            raise KeyError(f"{name!r}; the images are {', '.join(self._source.names)}")
        if name not in self._images:
            self._images[name] = self._source.image(name)
        return self._images[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._source.names)

    def __len__(self) -> int:
        return len(self._source.names)

    @property
    def xrt(self) -> Floats:
        """The attenuation in 1/cm, the image of the XRT site."""
        return self[list(self)[-1]]

    @property
    def units(self) -> Dict[str, str]:
        return {name: self._source.units(name) for name in self}

    @property
    def pixel_size(self) -> float:
        return float(self._source.pixel_size)

    # --- the run

    @property
    def certificate(self) -> Dict[str, Any]:
        return dict(self.summary["kkt"])

    @property
    def converged(self) -> bool:
        """Whether a stop rule was met; False: a limit or Ctrl-C ended the run."""
        return bool(self.summary["termination"]["converged"])

    @property
    def warnings(self) -> List[str]:
        return list(self.summary.get("warnings", []))

    @property
    def history(self) -> Dict[str, Any]:
        return history_arrays(self._source.history())

    def save(self, directory: PathLike, overwrite: bool = False) -> None:
        """Write the run directory that ``firm recon`` writes.

        Arrays become data files below it, so that ``firm recon`` can repeat the run. A run that has
        not converged can be resumed: ``firm recon STUDY --out DIRECTORY --resume``.

        Parameters
        ----------
        directory : path
            Is created if needed.
        overwrite : bool
            Replace a run that is there.
        """
        self._source.save(os.fspath(directory), overwrite)

    def to_xarray(self) -> Any:
        """The images as an ``xarray.Dataset`` with the axes slice, y and x; y and x in cm."""
        import xarray

        size = self.pixel_size
        _, rows, columns = self.xrt.shape
        variables = {name: (("slice", "y", "x"), self[name], {"units": self.units[name]})
                     for name in self}
        # Row 0 is on top.
        coords = {"slice": np.arange(self.xrt.shape[0]),
                  "y": ("y", ((rows - 1) / 2 - np.arange(rows)) * size, {"units": "cm"}),
                  "x": ("x", (np.arange(columns) - (columns - 1) / 2) * size, {"units": "cm"})}
        attributes = {"method": self.summary["method"], "rounds": self.summary["rounds"],
                      "program": f"firm {_firm.__version__}"}
        return xarray.Dataset(variables, coords, attributes)

    # --- how it shows itself

    def __repr__(self) -> str:
        slices, rows, columns = self.xrt.shape
        s = self.summary
        end = "converged" if self.converged else "stopped"
        return (f"<firm.Run: {', '.join(self)}; {slices} x {rows} x {columns}; "
                f"{s['method']} {end} after {s['rounds']} rounds>")

    def _repr_html_(self) -> str:
        picture = base64.b64encode(self._source.overview()).decode()
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>"
            for row in self._table())
        notes = "".join(f"<p>warning: {html.escape(text)}</p>" for text in self.warnings)
        return (f'<div class="firm-run"><p>{html.escape(repr(self)[1:-1])}; certificate '
                f'{self.certificate["relative"]:.2e}</p>'
                f'<img style="max-width:100%" src="data:image/png;base64,{picture}">'
                "<table><tr><th>image</th><th>unit</th><th>mean</th><th>largest</th>"
                f"<th>fit</th></tr>{rows}</table>{notes}</div>")

    def _table(self) -> Iterator[List[str]]:
        fits = {site["name"]: site.get("fit") for site in self.summary["sites"]}
        for name in self:
            fit = fits.get(name)
            yield [name, self.units[name], f"{self[name].mean():.4g}", f"{self[name].max():.4g}",
                   "-" if fit is None else f"{fit:.3g}"]


def history_arrays(lines: str) -> Dict[str, Any]:
    """The lines of history.jsonl as arrays; missing numbers are NaN."""
    records = [json.loads(line) for line in lines.splitlines()]

    def join(values: List[Any]) -> Any:
        tables = [value for value in values if isinstance(value, dict)]
        if tables:
            return {key: join([(value or {}).get(key) for value in values]) for key in tables[0]}
        return np.array([np.nan if value is None else value for value in values])

    keys = {key: None for record in records for key in record}
    return {key: join([record.get(key) for record in records]) for key in keys}


class MemorySource:
    """The results of a run in memory."""

    path: Optional[pathlib.Path] = None

    def __init__(self, run: "_firm.Run") -> None:
        self._run = run
        self.names = run.names
        self.pixel_size = run.pixel_size

    def image(self, name: str) -> Floats:
        return self._run.image(name)

    def units(self, name: str) -> str:
        return self._run.units(name)

    def summary(self) -> str:
        return self._run.summary()

    def history(self) -> str:
        return self._run.history()

    def save(self, directory: str, overwrite: bool) -> None:
        self._run.save(directory, overwrite)

    def overview(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "overview.png"
            self._run.draw(str(path))
            return path.read_bytes()


class DirectorySource:
    """The results in a run directory, read when they are asked for."""

    def __init__(self, directory: PathLike) -> None:
        self.path: Optional[pathlib.Path] = pathlib.Path(directory)
        self._folder = pathlib.Path(directory)
        if not (self._folder / "summary.json").is_file():
            raise usage_error(str(directory), "", "the directory of a finished run",
                              "no summary.json in it")
        self._stored: Dict[str, Any] = {}
        self._files: Dict[str, bytes] = {}
        summary = json.loads(self.summary())
        there = _firm.stored_image_names(str(self._folder / "images.h5"))
        # In the order of a run in memory: elements, other matter, XRT.
        measured = [site["name"] for site in summary["sites"] if site["name"] in there]
        self.names = measured[:-1] + [n for n in there if n not in measured] + measured[-1:]
        self.pixel_size = _firm.read_outline(str(self._folder / "study.toml")).pixel_size

    def preload(self) -> None:
        """Read everything, so that the directory is no longer needed."""
        for name in self.names:
            self._read(name)
        for file in ("summary.json", "history.jsonl", "overview.png"):
            self._content(file)

    def _content(self, file: str) -> bytes:
        if file not in self._files:
            self._files[file] = (self._folder / file).read_bytes()
        return self._files[file]

    def _read(self, name: str) -> Any:
        if name not in self._stored:
            self._stored[name] = _firm.stored_images(str(self._folder / "images.h5"), name)
        return self._stored[name]

    def image(self, name: str) -> Floats:
        array: Floats = self._read(name)[0]
        return array

    def units(self, name: str) -> str:
        return str(self._read(name)[2])

    def summary(self) -> str:
        return self._content("summary.json").decode()

    def history(self) -> str:
        return self._content("history.jsonl").decode()

    def save(self, directory: str, overwrite: bool) -> None:
        raise usage_error(directory, "save", "a run in memory",
                          f"one that is in {self._folder} already; copy that directory")

    def overview(self) -> bytes:
        return self._content("overview.png")


def load(directory: PathLike) -> Run:
    """Open the directory of a finished run of ``firm recon``, ``firm site`` or ``firm.recon``.

    Images are read when they are first used.

    Parameters
    ----------
    directory : path

    Returns
    -------
    Run

    Raises
    ------
    firm.Error
        If there is no finished run.
    """
    return Run(DirectorySource(directory))


def read_images(path: PathLike) -> Dict[str, Floats]:
    """Read all images of a file: truth.h5 of a simulated study, images.h5 of a run.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict
        Arrays (slices, rows, columns) by name.

    Examples
    --------
    >>> import tempfile, firm
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = firm.simulate(folder.name, size=16, angles=4)
    >>> firm.read_images(folder.name + "/truth.h5")["xrt"].shape
    (1, 16, 16)
    """
    file = os.fspath(path)
    return {name: _firm.stored_images(file, name)[0] for name in _firm.stored_image_names(file)}
