"""Projector: the discrete Radon transform as a SciPy operator."""
from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator  # type: ignore[import]

from . import _firm
from .arrays import Floats, usage_error


class Projector(LinearOperator):  # type: ignore[misc]
    """The matrix A of parallel rays through an image: exact lengths of rays in pixels.

    A ``scipy.sparse.linalg.LinearOperator`` from images to sinograms, both as vectors: pixels row by
    row, rays angle by angle. ``A @ x``, ``A.T @ y`` and ``A.H @ y`` work, also with several columns;
    `forward` and `adjoint` take stacks of images and projections.

    Parameters
    ----------
    theta : array
        Angles in radians.
    size : int or (int, int)
        Rows and columns of the image.
    beamlets : int, optional
        Default: enough for the diagonal of the image, ceil(sqrt(2) size).
    center : float, optional
        Rotation axis in beamlets, as TomoPy counts; default: the middle, beamlets / 2.
    pixel_size : float
        Unit of the lengths; default 1.
    spacing : float, optional
        Distance between beamlets; default: the pixel size.
    shifts : array, optional
        How much further along the detector each projection is, in beamlets.
    slices : int
        Number of columns or slices of a call for which memory is kept. Others work too.
    threads : int
        0: all.
    kernel : str
        'auto' or one of ``firm.kernel_names()``.

    Attributes
    ----------
    norm : float
        The largest singular value.

    Examples
    --------
    >>> import numpy as np, firm
    >>> A = firm.Projector(np.linspace(0, np.pi, 12, endpoint=False), size=16)
    >>> A.shape
    (276, 256)
    >>> x, y = np.random.default_rng(1).random((2, 300), np.float32)
    >>> x, y = x[:256], y[:276]
    >>> bool(np.isclose((A @ x) @ y, x @ (A.T @ y), rtol=1e-4))
    True
    >>> A.forward(np.ones((3, 16, 16), np.float32)).shape     # angles, slices, beamlets
    (12, 3, 23)
    >>> from scipy.sparse.linalg import lsqr
    >>> image = lsqr(A, A @ x, iter_lim=5)[0].reshape(16, 16)
    """

    def __init__(self, theta: ArrayLike, size: Union[int, Tuple[int, int]],
                 beamlets: Optional[int] = None, *, center: Optional[float] = None,
                 pixel_size: float = 1.0, spacing: Optional[float] = None,
                 shifts: Optional[ArrayLike] = None, slices: int = 1, threads: int = 0,
                 kernel: str = "auto") -> None:
        self.theta = np.asarray(theta, np.float64)
        rows, columns = (size, size) if isinstance(size, (int, np.integer)) else size
        self.image_shape: Tuple[int, int] = (int(rows), int(columns))
        if beamlets is None:
            beamlets = int(np.ceil(np.sqrt(2) * max(self.image_shape)))
        self.beamlets = int(beamlets)
        self.center = self.beamlets / 2 if center is None else float(center)
        self._core = _firm.Projector(
            list(self.theta), self.image_shape, pixel_size, self.beamlets,
            pixel_size if spacing is None else spacing, self.center,
            [] if shifts is None else list(np.asarray(shifts, np.float64)), kernel, threads, slices)
        self._norm: Optional[float] = None
        rays = len(self.theta) * self.beamlets
        super().__init__(np.dtype(np.float32), (rays, int(np.prod(self.image_shape))))

    @property
    def kernel(self) -> str:
        """Name of the kernel in use."""
        return self._core.kernel

    @property
    def norm(self) -> float:
        if self._norm is None:
            self._norm = self._core.norm()
        return self._norm

    def forward(self, images: ArrayLike) -> Floats:
        """Project images.

        Parameters
        ----------
        images : array
            (slices, rows, columns), or (rows, columns).

        Returns
        -------
        array
            (angles, slices, beamlets), or (angles, beamlets).
        """
        x = np.asarray(images)
        if x.ndim not in (2, 3) or x.shape[-2:] != self.image_shape:
            raise usage_error("Projector", "forward",
                              f"images (slices, {self.image_shape[0]}, {self.image_shape[1]})",
                              f"shape {x.shape}")
        stack = x.reshape(-1, self.shape[1]).T
        y = self._apply(self._core.forward, stack, self.shape[0])
        projections = y.reshape(len(self.theta), self.beamlets, -1).transpose(0, 2, 1)
        return projections if x.ndim == 3 else projections[:, 0, :]

    def adjoint(self, projections: ArrayLike) -> Floats:
        """Backproject: the transpose of `forward`.

        Parameters
        ----------
        projections : array
            (angles, slices, beamlets), or (angles, beamlets).

        Returns
        -------
        array
            (slices, rows, columns), or (rows, columns).
        """
        y = np.asarray(projections)
        if (y.ndim not in (2, 3) or y.shape[0] != len(self.theta)
                or y.shape[-1] != self.beamlets):
            raise usage_error("Projector", "adjoint",
                              f"projections ({len(self.theta)}, slices, {self.beamlets})",
                              f"shape {y.shape}")
        stack = y[:, np.newaxis, :] if y.ndim == 2 else y
        x = self._apply(self._core.adjoint,
                        stack.transpose(0, 2, 1).reshape(self.shape[0], -1), self.shape[1])
        images: Floats = x.T.reshape(-1, *self.image_shape)
        return images if y.ndim == 3 else images.reshape(self.image_shape)

    @staticmethod
    def _apply(product: Any, values: Any, rows: int) -> Floats:
        """The product with the columns of `values`; copies only what is no contiguous float32."""
        out = np.empty((rows, values.shape[1]), np.float32)
        product(np.ascontiguousarray(values, np.float32), out)
        return out

    def _matvec(self, x: Any) -> Floats:
        return self._apply(self._core.forward, x.reshape(-1, 1), self.shape[0])[:, 0]

    def _rmatvec(self, y: Any) -> Floats:
        return self._apply(self._core.adjoint, y.reshape(-1, 1), self.shape[1])[:, 0]

    def _matmat(self, x: Any) -> Floats:
        return self._apply(self._core.forward, x, self.shape[0])

    def _rmatmat(self, y: Any) -> Floats:
        return self._apply(self._core.adjoint, y, self.shape[1])
