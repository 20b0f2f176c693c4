"""Batch sizes that are halved each time memory runs out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from dialeval.errors import RunFailed, lack_of_memory

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class Pace:
    """A number of responses at once that memory has been enough for so far."""

    size: int

    def over(self, items: Sequence[T], work: Callable[[Sequence[T], int], Sequence[R]]) -> Iterator[R]:
        """What ``work`` makes of every item, in order.

        It is given the items that are left and how many it may take at once, and answers for as many of the first as it
        took, at least one.
        """
        done = 0
        while done < len(items):
            results = self.attempt(partial(work, items[done:]))
            yield from results
            done += len(results)

    def attempt(self, work: Callable[[int], T]) -> T:
        """What ``work`` gives for the largest size at which memory is enough; smaller sizes are kept from then on."""
        while True:
            try:
                return work(self.size)
            except (RuntimeError, MemoryError) as error:
                if lack_of_memory(error) is None:
                    raise
            if self.size == 1:
                raise RunFailed(
                    "Memory ran out with one response at a time. Give 'max_context' fewer tokens, 'dtype' a smaller "
                    "type, or 'device' one with more memory."
                )
            self.size //= 2
            _free()
            logging.getLogger(__name__).warning("Out of memory; continuing with %d at once.", self.size)


def _free() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
