"""Judges that run here: the probabilities that a Hugging Face model gives to each score at the start of its reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Context, Turn
from dialeval.engine.cache import Cache
from dialeval.judge.asking import Outcome
from dialeval.judge.prompts import Request
from dialeval.judge.verdicts import JudgeReply, TokenChoice
from dialeval.resources.kept import kept_folder
from dialeval.systems.huggingface.system import HuggingFace

_AT_ONCE: Final = 32
"""Requests whose scores are kept together."""


@dataclass(frozen=True, slots=True)
class LocalJudge:
    """A causal language model with a chat template, by name or folder."""

    model: str
    hub: bool = False
    cache: str | None = None
    """The folder in which scores are kept; None: the user's cache folder."""

    @property
    def system(self) -> HuggingFace:
        """The model; what follows a score in its reply does not matter."""
        return HuggingFace("judge", self.model, hub=self.hub, score_end=False)

    @property
    def fact(self) -> str:
        """Name and hash of the model."""
        return dict(self.system.signature.facts)["model"]

    @property
    def resources(self) -> Mapping[str, str]:
        """Name and sha256 of the model."""
        return self.system.resources

    def ask(self, requests: Sequence[Request], answers: Sequence[str]) -> list[Outcome]:
        """The log-probability of each of the answers, as the reply to each request begins with it.

        If the tokens of an answer begin those of a longer one, as 1 begins 10, the share of the longer one is no share
        of the shorter.
        """
        known = {place: found for place, one in enumerate(requests) if (found := self.recall(one, answers))}
        new = [place for place in range(len(requests)) if place not in known]
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            known |= zip(part, self._ask([requests[place] for place in part], answers), strict=True)
        return [known[place] for place in range(len(requests))]

    def recall(self, request: Request, answers: Sequence[str]) -> Outcome | None:
        """The kept outcome of a request."""
        payload = self._kept.get(*self._key(request, answers))
        if payload is None:
            return None
        kept = json.loads(payload)
        if not kept:
            return self._too_long
        return self._outcome(answers, kept) if len(kept) == len(answers) else None

    def _ask(self, requests: Sequence[Request], answers: Sequence[str]) -> list[Outcome]:
        contexts = [_messages(request) for request in requests]
        fits = self.system.fits(contexts)
        asked = [context for context, fit in zip(contexts, fits, strict=True) if fit]
        pairs = [(context, answer) for context in asked for answer in answers]
        scored = self.system.logprob([context for context, _ in pairs], [answer for _, answer in pairs])
        rows = iter(self._apart(scored.reshape(-1, len(answers)), answers).tolist())
        outcomes: list[Outcome] = []
        for request, fit in zip(requests, fits, strict=True):
            row = next(rows) if fit else []
            self._kept.put(*self._key(request, answers), json.dumps(row).encode())
            outcomes.append(self._outcome(answers, row) if fit else self._too_long)
        return outcomes

    @property
    def _too_long(self) -> Outcome:
        """The outcome of a request that is longer than the model's context, which is kept as no scores."""
        return Outcome(JudgeReply("", self.fact), "too_long")

    def _apart(self, logprobs: Floats, answers: Sequence[str]) -> Floats:
        """The log-probabilities without the shares of answers that go on where another ends."""
        lengths = dict(zip(answers, self.system.tokens(answers).tolist(), strict=True))
        chances = np.exp(logprobs)
        alone = chances.copy()
        for place, answer in enumerate(answers):
            for other, longer in enumerate(answers):
                goes_on = longer.startswith(answer) and len(longer) == len(answer) + 1
                if goes_on and lengths[longer] > lengths[answer]:
                    alone[:, place] -= chances[:, other]
        return np.log(np.maximum(alone, np.finfo(np.float64).tiny))

    def _outcome(self, answers: Sequence[str], logprobs: Sequence[float]) -> Outcome:
        best = answers[int(np.argmax(logprobs))]
        place = TokenChoice(best, tuple(zip(answers, logprobs, strict=True)))
        return Outcome(JudgeReply(best, self.fact, "stop", tokens=(place,), constraint="scores"))

    def _key(self, request: Request, answers: Sequence[str]) -> tuple[str, str]:
        key = ["judge", 2, str(self.system.signature), [*answers], request.rules, request.data]
        return json.dumps(key, sort_keys=True), ""

    @property
    def _kept(self) -> Cache:
        return _cache_in(Path(self.cache) if self.cache else kept_folder("judge"))


@cache
def _cache_in(folder: Path) -> Cache:
    return Cache(folder)


def _messages(request: Request) -> Context:
    return Turn("system", request.rules), Turn("user", request.data)
