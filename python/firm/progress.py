"""Progress of a run: a bar of tqdm, callbacks, and Ctrl-C."""
from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Optional

from ._firm import Observer

Record = Dict[str, Any]
OnRound = Callable[[Record], Any]


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    return instance is not None and "zmqshell" in type(instance).__module__


class Progress:
    """Shows rounds as a bar; used as a context.

    ``show`` None: in a terminal or a notebook, if tqdm is installed.
    """

    def __init__(self, show: Optional[bool], on_round: Optional[OnRound] = None,
                 verbose: bool = False) -> None:
        self._bar: Any = None
        self._on_round = on_round
        self._verbose = verbose
        wanted = show if show is not None else sys.stderr.isatty() or _in_notebook()
        self._make_bar = _bar_maker(required=bool(show)) if wanted else None

    def observer(self) -> Observer:
        return Observer(self._round, self._event, self._step)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()

    def _show(self, text: str) -> Any:
        if self._make_bar is None:
            return None
        if self._bar is None:
            self._bar = self._make_bar()
        self._bar.set_description(text, refresh=False)
        return self._bar

    def _step(self, step: str, fraction: float) -> None:
        bar = self._show(step)
        if bar is not None:
            bar.refresh()

    def _event(self, line: str) -> None:
        if self._verbose:
            print(line, file=sys.stderr)

    def _round(self, record: Record) -> None:
        bar = self._show("solving")
        if bar is not None:
            bar.total = record["end"] or record["limit"]
            bar.set_postfix_str(f"f = {record['objective']:.4g}", refresh=False)
            bar.update(record["round"] - bar.n)
        if self._on_round is not None:
            self._on_round(record)


def _bar_maker(required: bool) -> Optional[Callable[[], Any]]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import]
    except ImportError as error:
        if not required:
            return None
        raise ImportError("progress=True: expected the package tqdm (Debian: python3-tqdm), "
                          "found none") from error
    return lambda: tqdm(unit="round", leave=False)


def silent() -> Observer:
    """Only Ctrl-C."""
    return Observer(None, None, None)
