"""FIRM: joint reconstruction of X-ray fluorescence and transmission tomograms.

>>> import tempfile
>>> import firm
>>> folder = tempfile.TemporaryDirectory()
>>> study = firm.simulate(folder.name, size=24, angles=8, noise=0.01)
>>> run = firm.recon(study)
>>> run["xrf-1"].shape                      # slices, rows, columns
(1, 24, 24)
>>> run.units["xrf-1"], run.converged
('g/cm^3', True)

All work is done by the C++ library; docs/python.md is the guide.
"""
from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any


def _wrong_interpreter(expected: str, found: ImportError) -> ImportError:
    return ImportError(
        f"firm: expected {expected} for {sys.executable} (Python {sys.version.split()[0]}), "
        f"found: {found}. Use the interpreter that FIRM was built for, which is Debian's "
        "/usr/bin/python3 or build/python/bin/python of ./dev python, or build it for this one: "
        "docs/python.md, 'Install'.")


try:
    import numpy as _numpy  # noqa: F401
except ImportError as error:
    raise _wrong_interpreter("numpy", error) from error
try:
    from ._firm import Error, __version__, kernel_names, method_names
except ImportError as error:
    raise _wrong_interpreter("the compiled module firm._firm", error) from error

from .recon import Interrupted, Study, recon, recon_one
from .run import Run, load, read_images
from .scan import Scan, inspect, read
from .tools import align, attenuation_coefficient, calibrate, find_axis, options, simulate

if TYPE_CHECKING:
    from .federation import Federation
    from .projector import Projector

__all__ = [
    "Error", "Federation", "Interrupted", "Projector", "Run", "Scan", "Study", "__version__",
    "align", "attenuation_coefficient", "calibrate", "find_axis", "inspect", "kernel_names",
    "load", "method_names", "options", "read", "read_images", "recon", "recon_one", "simulate",
]

# Imported when first used: scipy takes longer to import than the rest.
_LATER = {"Projector": ".projector", "Federation": ".federation"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name], __name__), name)
    raise AttributeError(f"module 'firm' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)
