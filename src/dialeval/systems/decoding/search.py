"""Every way of decoding behind one function."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.systems.decoding.beams import search_beams
from dialeval.systems.decoding.model import Hypothesis, State, StepModel
from dialeval.systems.decoding.settings import Decoding
from dialeval.systems.decoding.walking import sample, take_likeliest


def decode(
    model: StepModel[State],
    prefixes: Sequence[Sequence[int]],
    decoding: Decoding,
    *,
    n: int = 1,
    seeds: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    """At most ``n`` responses to each prefix, best first: likeliest, or by score where beams are ranked by length.

    Sampling needs one seed per prefix, as ``context_seed`` gives it; each sample then draws from a stream of its own,
    so that it is the same in any company. Greedy search has one response, beams as many as there are beams. All
    prefixes run in one batch; callers split what does not fit.
    """
    import torch

    if not prefixes or n < 1:
        return [[] for _ in prefixes]
    with torch.inference_mode():
        if decoding.method == "greedy":
            return take_likeliest(model, prefixes, decoding)
        if decoding.method in ("beam", "diverse_beam"):
            return search_beams(model, prefixes, decoding, n)
        if len(seeds) != len(prefixes):
            raise ValueError(f"{len(prefixes)} prefixes need as many seeds to sample, found {len(seeds)}")
        return sample(model, prefixes, decoding, n, seeds)
