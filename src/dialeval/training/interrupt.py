"""Ctrl-C during training: the current update is finished and saved before the run stops."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """Ctrl-C after this many updates, all of which are saved."""

    def __init__(self, updates: int) -> None:
        super().__init__()
        self.updates = updates


class Interrupt:
    """Whether the user has asked to stop."""

    def __init__(self) -> None:
        self.pending = False


@contextmanager
def deferred_interrupt() -> Iterator[Interrupt]:
    """Note the first Ctrl-C instead of raising it; the second stops at once.

    An interrupt in the middle of an update would leave some weights moved and others not. Outside of the main thread,
    and where interrupts are ignored or not Python's, nothing changes.
    """
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield interrupt
        return

    def note(number: int, frame: FrameType | None) -> None:
        if interrupt.pending:
            before(number, frame)
        interrupt.pending = True

    signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
