"""Progress of a run, for people who wait."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeAlias

from dialeval.display.streams import printable_streams

if TYPE_CHECKING:
    import rich.progress


class Progress(Protocol):
    """Something that wants to know how many items are done."""

    def advance(self, n: int, /) -> None:
        """Take note that ``n`` more items are done."""


class _Silent:
    def advance(self, n: int, /) -> None:
        return None


SILENT: Final[Progress] = _Silent()
_BESIDE: Final[list[Callable[[], str]]] = []


def tell_beside_bars(text: Callable[[], str]) -> None:
    """Show this text beside every bar, as it is at each moment; an empty one shows nothing."""
    _BESIDE.append(text)


def _beside() -> str:
    return "; ".join(filter(None, (text() for text in _BESIDE)))


Watch: TypeAlias = Callable[[str, int], AbstractContextManager[Progress]]
"""Makes a progress bar from what is being done and how many items it will take."""


def unwatched(_what: str, _total: int) -> AbstractContextManager[Progress]:
    """A `Watch` that shows nothing."""
    return nullcontext(SILENT)


class RichProgress:
    """A bar on stderr with count, speed and time left; nothing at all where stderr is not a terminal."""

    def __init__(self, description: str, total: int = 0) -> None:
        self._description, self._total = description, total or None  # 0 where nobody knows
        self._bar: rich.progress.Progress | None = None
        self._filter: AbstractContextManager[None] = nullcontext()

    def advance(self, n: int, /) -> None:
        """Move the bar by ``n`` items."""
        if self._bar is not None:
            self._bar.advance(self._bar.task_ids[0], n)

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._bar = _bar()
            self._bar.add_task(self._description, total=self._total)
            self._bar.start()
            # The bar takes lines that are printed meanwhile, and would act on their escape sequences.
            self._filter = printable_streams()
            self._filter.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        if self._bar is not None:
            self._filter.__exit__(None, None, None)
            self._bar.stop()
            self._bar = None


def _bar() -> rich.progress.Progress:
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    from dialeval.display.consoles import PrintableConsole

    class Beside(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(_beside())

    return Progress(
        # A study's names may hold brackets, which are text here and not markup.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        Beside(),
        console=PrintableConsole(stderr=True),
    )
