"""recon, recon_one: reconstruct a study file, a Study, or arrays."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _firm
from .arrays import Floats, PathLike, degrees, float_view, option_pairs, usage_error
from .progress import OnRound, Progress
from .run import DirectorySource, MemorySource, Run

PerSite = Union[None, float, str, Mapping[str, Union[float, str]]]

XRT = "xrt"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C has ended a run after a whole round.

    Attributes
    ----------
    run : Run or None
        The run so far. ``run.save(directory)`` keeps it, and ``firm.recon(..., out=directory,
        resume=True)`` goes on. None: the run is in a directory, without images yet.
    """

    def __init__(self, message: str, run: Optional[Run]) -> None:
        super().__init__(message)
        self.run = run


class Study:
    """Arrays and what is known about them: a study without files.

    Parameters
    ----------
    arrays : mapping of str to array
        Projections (angles, slices, beamlets) of each site, TomoPy's order; (angles, beamlets) is
        one slice. The name ``"xrt"`` is transmission, after the logarithm unless there is `flat`;
        every other name is an element or a compound, in `units`. Arrays of float32 are not copied,
        others are converted once. NaN marks values that are missing.
    theta : array
        Angles in radians, the same for all sites, or a mapping from site to angles.
    energy : float, optional
        Energy of the XRT beam in keV, to look up the attenuation of each element.
    coefficients : mapping of str to float, optional
        Attenuation coefficients in cm^2/g, for names that are no elements.
    pixel_size : float
        Size of a pixel in cm.
    spacing : float, optional
        Distance between beamlets in cm; default: the pixel size.
    center : float, 'auto' or mapping, optional
        Rotation axis in beamlets, as TomoPy counts; default: the middle. 'auto' finds it.
    size : int or (int, int), optional
        Pixels of the image; default: as many along a side as there are beamlets.
    sigma : float, 'estimate', 'counts' or mapping, optional
        Noise; default: estimated from the data. None: unknown.
    units : str
        Unit of the XRF arrays: 'g/cm^2', 'mg/cm^2', 'ug/cm^2' or 'counts'. Counts get a scale from
        XRT.
    flat, dark : array, optional
        Frames (n, slices, beamlets) without the object and without the beam: XRT is counts.
    other : bool
        Whether there is matter that XRF does not see.
    self_absorption : bool
        Whether to correct the absorption of fluorescence within the object. Each element then needs
        the key ``detector_side`` in `site_keys`, and may have ``line``, ``compound`` and others.
    study_keys : mapping, optional
        Further keys of ``[study]`` in docs/formats.md, such as ``{"matrix": "SiO2"}``.
    site_keys : mapping, optional
        Further keys of docs/formats.md for each site, such as ``{"xrt": {"rings": 9}}``.
    name : str
        Name of the study.
    """

    def __init__(self, arrays: Mapping[str, ArrayLike], theta: Any, *,
                 energy: Optional[float] = None,
                 coefficients: Optional[Mapping[str, float]] = None, pixel_size: float = 1e-4,
                 spacing: Optional[float] = None, center: PerSite = None,
                 size: Union[None, int, Tuple[int, int]] = None, sigma: PerSite = "estimate",
                 units: str = "g/cm^2", flat: Optional[ArrayLike] = None,
                 dark: Optional[ArrayLike] = None, other: bool = False,
                 self_absorption: bool = False,
                 study_keys: Optional[Mapping[str, Any]] = None,
                 site_keys: Optional[Mapping[str, Mapping[str, Any]]] = None,
                 name: str = "arrays") -> None:
        if XRT not in arrays:
            raise usage_error("study", "arrays",
                              "an array named 'xrt' (recon_one reconstructs one array alone)",
                              ", ".join(arrays) or "none")
        self.name = name
        self.arrays: Dict[str, _firm.Arrays] = {}
        tables = []
        shape: Tuple[int, ...] = (0, 0, 0)
        for site, values in sorted(arrays.items(), key=lambda item: item[0] == XRT):
            data = float_view(name, site, values)
            shape = data.shape
            angles = degrees(name, theta[site] if isinstance(theta, Mapping) else theta)
            counted = flat is not None if site == XRT else units == "counts"
            unit = "counts" if counted else "1" if site == XRT else units
            fields = [None if field is None or site != XRT else float_view(name, kind, field)
                      for kind, field in (("flat", flat), ("dark", dark))]
            self.arrays[site] = _firm.Arrays(data, fields[0], fields[1], angles, unit)
            keys: Dict[str, Any] = {
                "name": site, "kind": "xrt" if site == XRT else "xrf", "data": f"{site}.h5",
                "spacing": f"{_of(spacing, site) or pixel_size!r} cm",
                "rotation_axis": _of(center, site), "sigma": _of(sigma, site),
                "bad_values": "mask"}
            if site == XRT:
                keys["minus_log"] = counted
            elif coefficients is not None and site in coefficients:
                keys["coefficient"] = float(coefficients[site])
            else:
                keys["compound"] = site
            if site != XRT and counted:
                keys["scale"] = "auto"
            keys.update((site_keys or {}).get(site, {}))
            tables.append(("[[site]]", keys))
        rows, columns = size if isinstance(size, tuple) else (size or shape[2], size or shape[2])
        study: Dict[str, Any] = {"name": name, "other": other}
        if energy is not None:
            study["energy"] = f"{energy!r} keV"
        if self_absorption:
            study["self_absorption"] = True
        study.update(study_keys or {})
        image = {"rows": rows, "columns": columns, "slices": shape[1],
                 "pixel_size": f"{pixel_size!r} cm"}
        self.toml = _toml([("[study]", study), ("[image]", image), *tables])

    def __repr__(self) -> str:
        return f"<firm.Study {self.name!r}: {', '.join(self.arrays)}>"


def _of(value: Any, site: str) -> Any:
    return value.get(site) if isinstance(value, Mapping) else value


def _toml(tables: Sequence[Tuple[str, Mapping[str, Any]]]) -> str:
    lines = []
    for header, keys in tables:
        lines += [header, *(f"{key} = {_toml_value(value)}" for key, value in keys.items()
                            if value is not None), ""]
    return "\n".join(lines)


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_toml_value(item)}" for key, item in value.items())
        return "{ " + inner + " }"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return json.dumps(str(value), ensure_ascii=False)


def recon(study: Union[PathLike, Study, Mapping[str, ArrayLike]], theta: Any = None, *,
          method: Optional[str] = None, prior: Optional[str] = None,
          refine: Union[None, str, Sequence[str]] = None,
          options: Optional[Mapping[str, Any]] = None, truth: Optional[PathLike] = None,
          threads: Optional[int] = None, out: Optional[PathLike] = None, resume: bool = False,
          overwrite: bool = False, max_memory: Optional[int] = None, separate: bool = False,
          progress: Optional[bool] = None, on_round: Optional[OnRound] = None,
          verbose: bool = False, **arrays: Any) -> Run:
    """Reconstruct all sites of a study together.

    Gives the bytes that ``firm recon`` gives for the same study, for any number of threads.

    Parameters
    ----------
    study : path, Study or mapping
        A file study.toml, a `Study`, or arrays by name with `theta`, which are the first arguments
        of `Study`; its other arguments may follow by name.
    theta : array
        Angles in radians, for arrays only.
    method : str, optional
        One of ``firm.method_names()``; default: that of the study, else 'firm-ds'.
    prior : str, optional
        'tv' prefers images of few and short edges; 'none'.
    refine : str or list of str, optional
        What the scan got wrong, to be found first: 'shifts', 'axis', 'angles', 'lag', 'gain',
        'scale', 'shifts-vertical'.
    options : mapping, optional
        Further options, with the keys of ``firm recon --set``; ``firm.options()`` lists them.
    truth : path, optional
        File with true images, to report errors.
    threads : int, optional
        Default: all.
    out : path, optional
        Run directory to write, with checkpoints; default: none, the results are in memory.
    resume, overwrite : bool
        What to do with a run in `out`; default: refuse.
    max_memory : int, optional
        Bytes; slices that do not fit are solved one chunk after another. Needs `out`.
    separate : bool
        Solve sites separately, with the sums of a federation. Needs `out`.
    progress : bool, optional
        Show a bar; default: in a terminal and in a notebook.
    on_round : callable, optional
        Receives a dict after every round: round, seconds, objective, kkt, residuals, ...
    verbose : bool
        Print to standard error what ``firm recon`` prints.

    Returns
    -------
    Run

    Raises
    ------
    firm.Error
        For wrong input, with the text of the command line.
    firm.Interrupted
        After Ctrl-C, with the run so far; it is a KeyboardInterrupt.

    Examples
    --------
    >>> import numpy as np, firm
    >>> theta = np.linspace(0, np.pi, 16, endpoint=False)
    >>> A = firm.Projector(theta, size=32, pixel_size=1e-4)
    >>> iron = np.zeros((1, 32, 32), np.float32)
    >>> iron[0, 10:20, 12:22] = 2.0                       # g/cm^3
    >>> b = A.forward(iron)
    >>> coefficient = firm.attenuation_coefficient("Fe", 12.0)
    >>> run = firm.recon({"Fe": b, "xrt": coefficient * b}, theta, energy=12.0, size=32, sigma=None)
    >>> bool(abs(run["Fe"] - iron).max() < 0.2)
    True
    """
    if isinstance(refine, (list, tuple)):
        refine = ",".join(refine)
    settings = option_pairs(options, method=method, prior__kind=prior, refine=refine,
                            threads=threads)
    if isinstance(study, Mapping):
        if theta is None:
            raise usage_error("recon", "theta", "the angles of the arrays, in radians", "none")
        study = Study(study, theta, **arrays)
    elif theta is not None or arrays:
        given = ", ".join(arrays) or "theta"
        raise TypeError(f"recon: {given}: expected only with arrays, found {type(study).__name__}")
    truth_file = os.fspath(truth) if truth is not None else ""
    if isinstance(study, Study):
        request = _firm.Request(study.name, study.toml, study.arrays, settings, truth_file)
    else:
        request = _firm.Request(os.fspath(study), "", {}, settings, truth_file)
    with Progress(progress, on_round, verbose) as shown:
        if out is not None:
            return _run_in(request, os.fspath(out), _existing(resume, overwrite), max_memory,
                           separate, shown)
        if resume or overwrite or separate or max_memory is not None:
            raise usage_error("recon", "out", "a directory, because of resume, overwrite, separate "
                              "or max_memory", "none")
        kept = _firm.run_in_memory(request, shown.observer())
    run = Run(MemorySource(kept))
    if kept.interrupted:
        raise Interrupted(f"interrupted after {run.summary['rounds']} rounds; the exception has "
                          "the run so far: save it to resume", run)
    return run


def _existing(resume: bool, overwrite: bool) -> str:
    if resume and overwrite:
        raise usage_error("recon", "", "either resume or overwrite", "both")
    return "resume" if resume else "overwrite" if overwrite else "refuse"


def _run_in(request: "_firm.Request", out: str, existing: str, max_memory: Optional[int],
            separate: bool, shown: Progress) -> Run:
    ended = _firm.run_in_directory(request, out, existing, max_memory, separate, shown.observer())
    run = Run(DirectorySource(out)) if ended["complete"] else None
    if ended["interrupted"]:
        raise Interrupted(f"interrupted; to resume: firm.recon(..., out={out!r}, resume=True)", run)
    assert run is not None
    return run


def recon_one(projections: ArrayLike, theta: ArrayLike, *, center: Union[None, float, str] = None,
              size: Union[None, int, Tuple[int, int]] = None, pixel_size: float = 1.0,
              sigma: Union[None, float, str] = "estimate", prior: Optional[str] = None,
              options: Optional[Mapping[str, Any]] = None, threads: Optional[int] = None,
              progress: Optional[bool] = None, on_round: Optional[OnRound] = None) -> Floats:
    """Reconstruct one modality alone: the image w >= 0 that fits its projections.

    Parameters
    ----------
    projections : array
        (angles, slices, beamlets), or (angles, beamlets) for one slice.
    theta : array
        Angles in radians.
    center : float or 'auto', optional
        Rotation axis in beamlets, as TomoPy counts; default: the middle.
    size : int or (int, int), optional
        Pixels of the image; default: as many along a side as there are beamlets.
    pixel_size : float
        Of a pixel and of a beamlet. Default 1: the image is per pixel.
    sigma, prior, options, threads, progress, on_round
        As in `recon`.

    Returns
    -------
    array
        (slices, rows, columns), or (rows, columns) for one slice without that axis.

    Examples
    --------
    >>> import numpy as np, firm
    >>> theta = np.linspace(0, np.pi, 20, endpoint=False)
    >>> A = firm.Projector(theta, size=32, beamlets=32)
    >>> disc = (np.hypot(*np.mgrid[-16:16, -16:16]) < 9).astype(np.float32)
    >>> image = firm.recon_one(A.forward(disc), theta, sigma=None)
    >>> image.shape, bool(abs(image - disc).mean() < 0.05)
    ((32, 32), True)
    """
    flat_stack = np.ndim(projections) == 2
    # The image does not depend on the unit of length but for a factor; the library wants cm.
    study = Study({XRT: projections}, theta, pixel_size=1e-4, center=center, size=size,
                  sigma=sigma, other=True, name="recon_one")
    run = recon(study, prior=prior, options=options, threads=threads, progress=progress,
                on_round=on_round)
    image: Floats = run.xrt * np.float32(1e-4 / pixel_size)
    one: Floats = image[0] if flat_stack else image
    return one
