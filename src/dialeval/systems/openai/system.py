"""A system behind an OpenAI-compatible server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from dialeval.core import AnswerRule, Floats, Integers, Signature
from dialeval.core.answers import NO_KEY
from dialeval.data.types import Context, Response, Turn
from dialeval.errors import DialevalError, Unsuitable
from dialeval.systems.decoding.settings import Decoding
from dialeval.systems.openai.budget import Budget, Prices, meter
from dialeval.systems.openai.prompts import Layout, unknown_role

Api: TypeAlias = Literal["chat", "completions"]
Likelihood: TypeAlias = Literal["none", "echo", "prompt_logprobs"]

_OURS: Final = frozenset({"model", "messages", "prompt", "n", "stream", "seed", "echo", "prompt_logprobs"})


@dataclass(frozen=True, slots=True)
class OpenAI:
    """Answers by asking a server; each sample is a request of its own, and every answer is kept for later runs.

    The server's address, the model's name and its ``revision`` stand for the model. Raise ``revision`` when another
    model moves in under the old name: without that, nobody can see that kept answers are the old one's.
    """

    name: str
    base_url: str
    """Where the API is, mostly ending in ``/v1``."""
    model: str
    """As the server calls it."""
    revision: str | None = None
    api: Api = "chat"
    api_key_env: str | None = None
    """The environment variable that holds the key, read when the server is asked; None where it needs none."""
    decoding: Decoding = field(default_factory=Decoding)
    system_prompt: str | None = None
    layout: Layout = field(default_factory=Layout)
    """How the completions API is shown a context."""
    end: str | None = None
    """What ends a turn, such as ``<|im_end|>``; counted in likelihoods. None: a line break in completions."""
    likelihood: Likelihood = "none"
    """How the server tells the likelihood of a given response: not at all, by OpenAI's ``echo``, or as vLLM does."""
    logprobs: bool = True
    """Whether log-probabilities of generated responses are asked for."""
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Further keys of the request, as the server spells them; null takes one of ours away."""
    concurrency: int = 8
    retries: int = 5
    timeout: float = 120.0
    """Seconds for one whole answer."""
    backoff: float = 0.5
    """Seconds before the first retry; doubled each time."""
    budget: Budget = field(default_factory=Budget)
    prices: Prices | None = None
    """Per million tokens; no part of the signature."""
    cache: Path | None = None
    """The folder in which answers are kept; None: the user's cache folder."""
    rule: AnswerRule = field(default_factory=AnswerRule, metadata=NO_KEY)
    """Which cached answers may be used; set by a run."""

    def __post_init__(self) -> None:
        self._check_address()
        if self.api_key_env is not None and not self.api_key_env.isidentifier():
            # Not shown: what is not a variable's name may well be the key.
            raise DialevalError(
                "'api_key_env': found no name of an environment variable, expected one such as MY_KEY. Put the key "
                "into that variable, and only its name here."
            )
        if self.decoding.method in ("beam", "diverse_beam"):
            raise Unsuitable(
                f"Decoding by {self.decoding.method!r} is not part of the OpenAI API. Choose greedy, nucleus, top_k or "
                "sample, or run the model here with the kind 'huggingface'."
            )
        if self.likelihood == "echo" and self.api == "chat":
            raise Unsuitable(
                "'likelihood: echo' is part of the completions API only. Set 'api: completions', with a 'layout' that "
                "writes turns as the model knows them."
            )
        taken = sorted(_OURS & self.extra.keys())
        if taken:
            raise DialevalError(
                f"'extra' sets {', '.join(taken)}, which dialeval sets itself. Leave them out."
            )
        for name, least in (("concurrency", 1), ("retries", 0), ("timeout", 1e-3), ("backoff", 0)):
            if not getattr(self, name) >= least:
                raise DialevalError(f"{name!r}: found {getattr(self, name)!r}, expected at least {least}.")

    def _check_address(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            # Not shown in full where it holds an @: what is before that may be a password.
            shown = self.base_url.rpartition("@")[2]
            raise DialevalError(
                f"'base_url': found {shown!r}, expected an address such as http://127.0.0.1:8000/v1."
            )
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise DialevalError(
                f"'base_url': found more than an address for {parts.hostname!r}. Leave out passwords, '?' and '#'; "
                "name the environment variable that holds the key in 'api_key_env'."
            )

    @property
    def signature(self) -> Signature:
        """All that could move its responses, beside the seed."""
        parameters = (
            ("base_url", self.address),
            ("model", self.model),
            ("revision", self.revision),
            ("api", self.api),
            ("system_prompt", self.system_prompt),
            ("end", self.ending),
            ("likelihood", self.likelihood),
            ("logprobs", self.logprobs),
            ("extra", json.dumps(self.extra, sort_keys=True) if self.extra else None),
        )
        layout = (("turn", self.layout.turn), ("cue", self.layout.cue), ("lead", self.layout.lead))
        shown = layout if self.api == "completions" else ()
        return Signature("openai", (*parameters, *shown), (("decoding", self.decoding.served_fact),))

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """``n`` samples for each context, or the one greedy response; likeliest first where the server tells.

        Where a context is too long for the server, whole turns are left out from its start, with a warning that counts
        them. There is no response where the server gives none; a reason instead of one where it refuses the context.
        PartlyAnswered where it answers some contexts and then fails.
        """
        if n < 1 or not contexts:
            return [() for _ in contexts]
        from dialeval.systems.openai.generating import generate_all

        return generate_all(self, contexts, n, seed)

    @property
    def repeatable(self) -> bool:
        """Whether the server, as long as it is the same, gives the same answer again."""
        return not self.decoding.samples

    @property
    def reused(self) -> Sequence[float | None]:
        """When each answer that this process took from the cache was asked; None if that is unknown."""
        return meter(self).reused

    def with_rule(self, rule: AnswerRule) -> OpenAI:
        """The system under this rule for cached answers."""
        return replace(self, rule=rule)

    def recall(self, contexts: Sequence[Context], *, seed: int = 0) -> list[Response | None]:
        """Cached first answer to each context; None if there is none. Nothing is sent."""
        from dialeval.systems.openai.generating import recall_all

        return recall_all(self, contexts, seed)

    def ask_again(self, contexts: Sequence[Context], *, seed: int = 0) -> list[tuple[Response, ...]]:
        """Answers of the server as it is now; no cached answer is used or replaced."""
        from dialeval.systems.openai.generating import ask_again_all

        return ask_again_all(self, contexts, seed)

    def refuses(self, context: Context) -> str | None:
        """Why the server cannot answer here: a role that the chat API does not know."""
        reason = unknown_role(context) if self.api == "chat" else None
        return reason and f"not asked: {reason}"

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """What this many tokens cost; None where no prices were given."""
        if self.prices is None:
            return None
        return (prompt_tokens * self.prices.input + completion_tokens * self.prices.output) / 1e6

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response, and of ``end`` after it, given its context."""
        self._need_likelihood()
        if len(contexts) != len(responses):
            raise ValueError(f"{len(contexts)} contexts and {len(responses)} responses do not pair up")
        from dialeval.systems.openai.scoring import score_all

        return np.array([scored.logprob for scored in score_all(self, contexts, responses)], dtype=np.float64)

    def tokens(self, responses: Sequence[str]) -> Integers:
        """How many tokens of the server's each response has, those of ``end`` included."""
        self._need_likelihood()
        from dialeval.systems.openai.scoring import count_all

        return np.array(count_all(self, responses), dtype=np.int64)

    def _need_likelihood(self) -> None:
        if self.likelihood == "none":
            raise Unsuitable(
                f"{self.name!r} cannot give the log-probability of a response: most servers give none for the tokens "
                "of a prompt. If this one does, set 'likelihood' to 'prompt_logprobs' "
                "(vLLM) or 'echo' (completions API); if not, leave out what needs likelihoods."
            )

    @property
    def address(self) -> str:
        """Where the API is, without a slash at its end."""
        return self.base_url.rstrip("/")

    @property
    def path(self) -> str:
        """Where the API in use is, under the address."""
        return "chat/completions" if self.api == "chat" else "completions"

    @property
    def ending(self) -> str:
        """What ends a turn."""
        if self.end is not None:
            return self.end
        return "\n" if self.api == "completions" else ""

    def instructed(self, context: Context) -> Context:
        """The context after the system prompt."""
        return (Turn("system", self.system_prompt), *context) if self.system_prompt else context

    def written(self, response: str) -> str:
        """The response as it stands after the context, up to the end of the turn.

        White space at its start is left out: tokenisers join it with what is before, whatever separates the two.
        """
        return (self.layout.lead if self.api == "completions" else "") + response.lstrip() + self.ending

    def with_extra(self, body: Mapping[str, object]) -> dict[str, object]:
        """The request with the user's own keys."""
        return {key: value for key, value in {**body, **self.extra}.items() if value is not None}
