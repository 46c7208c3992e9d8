"""read, inspect: data files of beamlines."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from . import _firm
from .arrays import Floats, PathLike
from .progress import Progress


class Scan(Mapping[str, Floats]):
    """A scan in a file or a folder: its angles, and the projections of each element.

    ``scan["Fe"]`` reads (angles, slices, beamlets) as stored: no normalization, no logarithm, no
    scale. A file with one signal has it under the name ``"data"``.

    Attributes
    ----------
    elements : list of str
        Names of the signals.
    theta : array
        Angles in radians.
    format, units : str
        Of the file; units may be empty.
    slices, beamlets : int
    spacing : float or None
        Distance between beamlets in cm, if the file has it.
    center : float or None
        Rotation axis in beamlets, if the file has it.
    flat, dark : array or None
        Frames (n, slices, beamlets) without the object, and without the beam, if the file has them.
    """

    def __init__(self, path: PathLike, angles: Optional[PathLike] = None,
                 axes: Optional[str] = None, angle_unit: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self._choice = (os.fspath(angles) if angles is not None else "", axes or "",
                        angle_unit or "")
        first = self._open("")
        self.elements: List[str] = list(first.elements) or ["data"]
        self.theta: NDArray[np.float64] = np.deg2rad(first.angles)
        self.format = first.format
        self.units = first.units
        self.slices = first.slices
        self.beamlets = first.beamlets
        self.spacing = first.spacing
        self.center = first.rotation_axis
        self._first = first

    def _open(self, element: str) -> "_firm.ScanFile":
        return _firm.ScanFile(self.path, element, *self._choice)

    def read(self, element: Optional[str] = None, first: int = 0,
             count: Optional[int] = None) -> Floats:
        """Read some slices of an element; default: all slices of the first element."""
        name = element if element is not None else self.elements[0]
        if name not in self.elements:
            raise KeyError(f"{name!r}; the elements are {', '.join(self.elements)}")
        scan = self._open(name) if self._first.elements else self._first
        return scan.values(first, self.slices - first if count is None else count)

    @property
    def flat(self) -> Optional[Floats]:
        return _if_any(self._first.flat())

    @property
    def dark(self) -> Optional[Floats]:
        return _if_any(self._first.dark())

    def __getitem__(self, element: str) -> Floats:
        return self.read(element)

    def __iter__(self) -> Iterator[str]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        return (f"<firm.Scan {self.path!r}: {self.format}; {', '.join(self.elements)}; "
                f"{len(self.theta)} angles x {self.slices} slices x {self.beamlets} beamlets>")


def _if_any(frames: Floats) -> Optional[Floats]:
    return frames if len(frames) > 0 else None


def read(path: PathLike, *, angles: Optional[PathLike] = None, axes: Optional[str] = None,
         angle_unit: Optional[str] = None) -> Scan:
    """Open a scan: Data Exchange, XRFtomo, NXtomo, NeXus, XRF-Maps, PyXRF, TIFF or .npy.

    The content tells the format (docs/formats.md).

    Parameters
    ----------
    path : path
        A file, or a folder with one file per angle.
    angles : path, optional
        File with the angles, for data without.
    axes : str, optional
        Order of the axes of TIFF and .npy; default: 'theta:y:x'.
    angle_unit : str, optional
        'deg' or 'rad'; default: as the file says, else degrees.

    Returns
    -------
    Scan

    Examples
    --------
    >>> import tempfile, firm
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = firm.simulate(folder.name, size=16, angles=6)
    >>> scan = firm.read(folder.name + "/xrt.h5")
    >>> scan.elements, scan["data"].shape, scan.units
    (['data'], (6, 1, 23), '1')
    """
    return Scan(path, angles, axes, angle_unit)


def inspect(path: PathLike, *, element: str = "", angles: Optional[PathLike] = None,
            axes: str = "", angle_unit: str = "", monitor: str = "",
            progress: Optional[bool] = None) -> Dict[str, Any]:
    """Describe a data file: shapes, angles, statistics, warnings, a table for study.toml.

    Parameters
    ----------
    path : path
    element, angles, axes, angle_unit, monitor
        As the options of ``firm inspect``.
    progress : bool, optional

    Returns
    -------
    dict
        The JSON of ``firm inspect --json``.

    Examples
    --------
    >>> import tempfile, firm
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = firm.simulate(folder.name, size=16, angles=6)
    >>> firm.inspect(folder.name + "/xrt.h5")["angles"]["count"]
    6
    """
    with Progress(progress) as shown:
        text = _firm.inspect(os.fspath(path), element,
                             os.fspath(angles) if angles is not None else "", axes, angle_unit,
                             monitor, shown.observer())
    result: Dict[str, Any] = json.loads(text)
    return result
