from __future__ import annotations

import pytest
import torch

from dialeval.errors import RunFailed
from dialeval.systems.huggingface.loader import Pace


def doubling(limit, sizes, error=torch.OutOfMemoryError):
    def work(items, size):
        sizes.append(size)
        if min(size, len(items)) > limit:
            raise error("CUDA out of memory. Tried to allocate 2.00 GiB")
        return [2 * item for item in items[:size]]

    return work


@pytest.mark.parametrize("error", [torch.OutOfMemoryError, RuntimeError, MemoryError])
def test_the_size_is_halved_until_memory_is_enough_and_stays_so(error, caplog):
    pace, sizes = Pace(16), []
    assert list(pace.over(range(10), doubling(3, sizes, error))) == [2 * at for at in range(10)]
    assert sizes == [16, 8, 4, 2, 2, 2, 2, 2]
    assert pace.size == 2
    assert "continuing with 2 at once" in caplog.text


def test_memory_for_not_even_one_is_said():
    with pytest.raises(RunFailed, match=r"one response at a time.*max_context"):
        list(Pace(4).over(range(3), doubling(0, [])))


def test_other_errors_are_not_taken_for_want_of_memory():
    with pytest.raises(RuntimeError, match="shapes"):
        Pace(4).attempt(lambda _size: (_ for _ in ()).throw(RuntimeError("shapes do not fit")))
