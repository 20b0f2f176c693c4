"""Consoles of rich, with its colours and cursor movements but none from the texts that it shows."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dialeval.display.streams import behind, printable


class PrintableConsole(Console):
    """A console to standard output or standard error whose texts are `printable`."""

    def __init__(self, *, stderr: bool = False, **settings: Any) -> None:
        super().__init__(stderr=stderr, **settings)
        stream = behind(sys.stderr if stderr else sys.stdout)
        if self.is_terminal and stream is not None:  # the escape sequences from here on are rich's own
            self.file = stream

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces of what is to be shown, each printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)
