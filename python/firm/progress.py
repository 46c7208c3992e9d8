"""Progress of a run: a bar of tqdm, callbacks, and Ctrl-C."""
from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any, Callable, Dict, Optional

from ._firm import Observer

Record = Dict[str, Any]
OnRound = Callable[[Record], Any]


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    return instance is not None and "zmqshell" in type(instance).__module__


# Work that is done within this time shows nothing.
_PATIENCE = 1.0


class Progress:
    """Shows steps and rounds as a bar; used as a context.

    ``show`` None: in a terminal or a notebook, if tqdm is installed. Short work shows nothing.
    """

    def __init__(self, show: Optional[bool], on_round: Optional[OnRound] = None,
                 verbose: bool = False) -> None:
        self._bar: Any = None
        self._on_round = on_round
        self._verbose = verbose
        wanted = show if show is not None else sys.stderr.isatty() or _in_notebook()
        self._make_bar = _bar_maker(required=bool(show)) if wanted else None
        self._start = time.monotonic()

    def observer(self) -> Observer:
        return Observer(self._round, self._event, self._step)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()

    def _shown(self) -> Any:
        if self._bar is None and self._make_bar is not None:
            if time.monotonic() - self._start >= _PATIENCE:
                self._bar = self._make_bar()
        return self._bar

    def _step(self, step: str, fraction: float) -> None:
        bar = self._shown()
        if bar is not None:
            bar.bar_format = "{desc} [{elapsed}]"
            bar.set_description_str(step)

    def _event(self, line: str) -> None:
        if self._verbose:
            print(line, file=sys.stderr)

    def _round(self, record: Record) -> None:
        bar = self._shown()
        if bar is not None:
            bar.bar_format = None
            bar.total = record["end"] or record["limit"]
            bar.set_description_str("solving", refresh=False)
            bar.set_postfix_str(f"f = {record['objective']:.4g}", refresh=False)
            bar.update(record["round"] - bar.n)
        if self._on_round is not None:
            self._on_round(record)


def _bar_maker(required: bool) -> Optional[Callable[[], Any]]:
    try:
        # The bar of a notebook needs ipywidgets.
        if _in_notebook() and importlib.util.find_spec("ipywidgets") is not None:
            from tqdm.notebook import tqdm  # type: ignore[import]
        else:
            from tqdm import tqdm  # type: ignore[import]
    except ImportError as error:
        if not required:
            return None
        raise ImportError("progress=True: expected the package tqdm (Debian: python3-tqdm), "
                          "found none") from error
    return lambda: tqdm(unit="round", leave=False)
