"""Conversion of arguments to what the module takes."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._firm import Error

Floats = NDArray[np.float32]
PathLike = Union[str, "os.PathLike[str]"]
Pairs = Sequence["tuple[str, str]"]


def usage_error(where: str, field: str, expected: str, found: str) -> Error:
    """An error of usage, in the words of the library."""
    place = ": ".join(part for part in (where, field) if part)
    error = Error(f"{place}: expected {expected}, found {found}")
    error.kind = "usage"
    error.exit_code = 2
    return error


def float_view(where: str, name: str, values: ArrayLike) -> Floats:
    """(angles, slices, beamlets) of float32; (angles, beamlets) is one slice.

    Copies nothing if the values are float32 already, whatever their strides.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise usage_error(where, name, "an array of real numbers", f"dtype {array.dtype}")
    if array.ndim == 2:
        array = array[:, np.newaxis, :]
    if array.ndim != 3:
        raise usage_error(where, name, "an array (angles, slices, beamlets) or (angles, beamlets)",
                          f"shape {array.shape}")
    array = array.astype(np.float32, copy=False)
    if any(stride % array.itemsize for stride in array.strides):
        array = np.ascontiguousarray(array)
    return array


def degrees(where: str, theta: ArrayLike) -> list[float]:
    """Angles in radians, as TomoPy has them, in degrees."""
    angles = np.asarray(theta, dtype=np.float64)
    if angles.ndim != 1 or angles.size == 0:
        raise usage_error(where, "theta", "one angle per projection, in radians",
                          f"shape {angles.shape}")
    if np.ptp(angles) > 20:
        raise usage_error(where, "theta", "radians",
                          f"a span of {np.ptp(angles):g}; use numpy.deg2rad for degrees")
    return [float(angle) for angle in np.rad2deg(angles)]


def option_pairs(options: Optional[Mapping[str, Any]], **given: Any) -> list[tuple[str, str]]:
    """Options as texts: those that are given by name first, then those of the mapping."""
    pairs = [(key.replace("__", "."), value) for key, value in given.items() if value is not None]
    pairs += list((options or {}).items())
    return [(key, option_text(value)) for key, value in pairs]


def option_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
