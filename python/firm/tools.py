"""simulate, find_axis, align, calibrate, and tables."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, NamedTuple, Optional, Sequence, Union

from numpy.typing import ArrayLike

from . import _firm
from .arrays import PathLike, degrees, float_view, option_text, usage_error
from .progress import Progress


def simulate(directory: PathLike, *, progress: Optional[bool] = None, **options: Any) -> pathlib.Path:
    """Simulate a study with a known truth, as ``firm simulate`` does.

    Parameters
    ----------
    directory : path
        Gets study.toml, the data files and truth.h5; is created if needed.
    progress : bool, optional
    **options
        The options of ``firm simulate --help`` with underscores: preset, size, angles, slices,
        noise, seed, counts, xrf_counts, jitter, drift, axis_offset, ...

    Returns
    -------
    pathlib.Path
        The study file.

    Examples
    --------
    >>> import tempfile, firm
    >>> folder = tempfile.TemporaryDirectory()
    >>> firm.simulate(folder.name, preset="elements", size=16, angles=4).name
    'study.toml'
    """
    pairs = [(key.replace("_", "-"), option_text(value)) for key, value in options.items()]
    with Progress(progress) as shown:
        return pathlib.Path(_firm.simulate(os.fspath(directory), pairs, shown.observer())[-1])


class Axis(NamedTuple):
    """A rotation axis that was found, in beamlets as TomoPy counts."""

    center: float
    uncertainty: float
    contrast: float
    warnings: "list[str]"


def find_axis(projections: ArrayLike, theta: ArrayLike, *, near: Optional[float] = None,
              width: Optional[float] = None, xrt: bool = True) -> Axis:
    """Find the rotation axis of projections.

    The axis with which an image w >= 0 fits them best. Angles may have any order and span; pairs of
    opposite angles are not needed.

    Parameters
    ----------
    projections : array
        (angles, slices, beamlets) or (angles, beamlets): XRF, or XRT after the logarithm.
    theta : array
        Angles in radians.
    near, width : float, optional
        Search `width` beamlets to each side of `near`; default: half the detector around its middle.
    xrt : bool
        Whether the values are -log of a transmission, in which a lag of the detector shows.

    Returns
    -------
    Axis
        center, uncertainty, contrast and warnings.

    Examples
    --------
    >>> import numpy as np, firm
    >>> theta = np.linspace(0, np.pi, 30, endpoint=False)
    >>> A = firm.Projector(theta, size=40, beamlets=60, center=33.5)
    >>> disc = (np.hypot(*(np.mgrid[:40, :40] - 17)) < 8).astype(np.float32)
    >>> abs(firm.find_axis(A.forward(disc), theta).center - 33.5) < 0.2
    True
    """
    found = _firm.find_axis(float_view("find_axis", "projections", projections),
                            degrees("find_axis", theta), near, width, xrt)
    if not found["found"]:
        raise usage_error("find_axis", "projections", "values that are not all 0", "only zeros")
    return Axis(found["axis"], found["uncertainty"], found["contrast"], found["warnings"])


def align(study: PathLike, out: Optional[PathLike] = None, *,
          refine: Union[None, str, Sequence[str]] = None, threads: int = 0,
          progress: Optional[bool] = None) -> Dict[str, Any]:
    """Find what a scan got wrong, as ``firm align`` does.

    Parameters
    ----------
    study : path
        Study file.
    out : path, optional
        Study file to write, with the numbers found.
    refine : str or list of str, optional
        Some of shifts, shifts-vertical, axis, angles, lag, gain, scale; default: those of the
        study, else shifts and axis.
    threads : int
        0: all.
    progress : bool, optional

    Returns
    -------
    dict
        ``scans`` and ``sites``, as in ``run.summary["refined"]``.
    """
    text = refine if isinstance(refine, str) else ",".join(refine or [])
    with Progress(progress) as shown:
        found = _firm.align(os.fspath(study), os.fspath(out) if out is not None else "", text,
                            threads, shown.observer())
    result: Dict[str, Any] = json.loads(found)
    return result


def calibrate(study: PathLike, out: Optional[PathLike] = None, *, threads: int = 0,
              progress: Optional[bool] = None) -> Dict[str, Any]:
    """Find the scales that convert XRF data to g/cm^2, as ``firm calibrate`` does.

    Parameters
    ----------
    study : path
        Study file.
    out : path, optional
        Study file to write, with the new scales.
    threads : int
        0: all.
    progress : bool, optional

    Returns
    -------
    dict
        The JSON of ``firm calibrate --json``; ``result["sites"][0]["scale"]`` is a scale.
    """
    with Progress(progress) as shown:
        found = _firm.calibrate(os.fspath(study), os.fspath(out) if out is not None else "",
                                threads, shown.observer())
    result: Dict[str, Any] = json.loads(found)
    return result


def attenuation_coefficient(formula: str, energy: float) -> float:
    """Mass attenuation coefficient in cm^2/g of an element or a compound.

    Parameters
    ----------
    formula : str
        'Fe', 'Fe2O3', ...
    energy : float
        In keV.

    Returns
    -------
    float

    Examples
    --------
    >>> import firm
    >>> round(firm.attenuation_coefficient("Fe", 12.0))
    105
    """
    found = _firm.attenuation_coefficient(formula, float(energy))
    if found is None:
        raise usage_error("attenuation_coefficient", "", "an element or compound, and an energy, "
                          "that the tables of xraylib have", f"'{formula}' at {energy:g} keV")
    return found


def options() -> Dict[str, str]:
    """Every option of ``recon(options=...)``, with its default and what it does.

    Examples
    --------
    >>> import firm
    >>> "stop.kkt" in firm.options()
    True
    """
    return {key: f"{value}: {text}" for key, value, text in _firm.describe_options()}
