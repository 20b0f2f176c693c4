"""A system behind an OpenAI-compatible server: its settings, budget, prices, and contexts as it reads them."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import ClassVar, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from dialeval.core import AnswerRule, Floats, Integers, Signature
from dialeval.core.answers import NO_KEY
from dialeval.data.types import Context, Response, Turn
from dialeval.errors import DialevalError, Unsuitable
from dialeval.systems.decoding.settings import Decoding
from dialeval.systems.spending import Budget as Budget, Meter, Prices as Prices


def meter(system: OpenAI) -> Meter:
    """Return what this process has spent on the system, over all its batches and runs."""
    return _meter(system.with_rule(AnswerRule()))


@cache  # never forgotten: a budget is spent once
def _meter(system: OpenAI) -> Meter:
    return Meter(system.name, system.budget, system.prices)


ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
"""Those that the chat API knows; results of tools have the last two."""

_PLACES: Final = re.compile(r"\{(role|text)\}")


@dataclass(frozen=True, slots=True)
class Layout:
    """Layout of a context for the completions API."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    turn: str = "{role}: {text}\n"
    """Each turn, with ``{role}`` and ``{text}`` filled in."""
    cue: str = "assistant:"
    """Text after the last turn: the server continues from here."""
    lead: str = " "
    """Separator between the cue and the response; tokenisers mostly want it on the response's side."""

    def __post_init__(self) -> None:
        if "{text}" not in self.turn:
            raise DialevalError(f"The layout's turn: found {self.turn!r}, expected a place for {{text}}.")
        if not self.cue:
            raise DialevalError(
                "The layout's cue is empty; expected the text after which a response begins, as in 'assistant:'."
            )

    def write(self, context: Context) -> str:
        """The whole prompt."""
        return "".join(self._turn(turn) for turn in context) + self.cue

    def _turn(self, turn: Turn) -> str:
        # In one pass, so that a text which says '{role}' stays as it is.
        return _PLACES.sub(lambda place: turn.speaker if place[1] == "role" else turn.text, self.turn)


def messages(context: Context) -> list[dict[str, object]]:
    """The context as the chat API wants it, with calls of tools, their results and content in parts as they are."""
    reason = unknown_role(context)
    if reason is not None:
        raise Unsuitable(
            f"Found {reason}. Rename the roles in the data, or use the completions API ('api: completions'), which "
            "takes any."
        )
    return [_message(turn) for turn in context]


def unknown_role(context: Context) -> str | None:
    """Return what the chat API does not know in a context; None if it knows every role."""
    turn = next((turn for turn in context if turn.speaker not in ROLES), None)
    if turn is None:
        return None
    return f"the role {turn.speaker!r}, of the turn {turn.text[:40]!r}, but the chat API knows {', '.join(ROLES)}"


def _message(turn: Turn) -> dict[str, object]:
    message: dict[str, object] = {"role": turn.speaker, "content": turn.text}
    if turn.speaker in ("tool", "function") and turn.name is not None:
        message["name"] = turn.name
    return {**message, **(turn.extra or {})}


def shortened(context: Context) -> Context | None:
    """The context without its oldest turn, instructions apart; None if only one is left."""
    spoken = [index for index, turn in enumerate(context) if turn.speaker not in ("system", "developer")]
    if len(spoken) < 2:
        return None
    return context[: spoken[0]] + context[spoken[0] + 1 :]


def warn_of_cut_contexts(system: str, dropped: Sequence[int]) -> None:
    """Say how many contexts lost turns, given how many turns each of them lost."""
    cut = [turns for turns in dropped if turns]
    if cut:
        warnings.warn(
            f"{system}: {len(cut)} of {len(dropped)} contexts are longer than the server's window; "
            f"their oldest turns, {sum(cut)} in all, were left out.",
            stacklevel=5,
        )


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
    """Address of the API, mostly ending in ``/v1``."""
    model: str
    """Name of the model at the server."""
    revision: str | None = None
    api: Api = "chat"
    api_key_env: str | None = None
    """The environment variable that holds the key, read when the server is asked; None if it needs none."""
    decoding: Decoding = field(default_factory=Decoding)
    system_prompt: str | None = None
    layout: Layout = field(default_factory=Layout)
    """Layout of contexts for the completions API."""
    end: str | None = None
    """End of a turn, such as ``<|im_end|>``; counted in likelihoods. None: a line break in completions."""
    likelihood: Likelihood = "none"
    """Likelihoods of given responses, as the server tells them: not at all, by OpenAI's ``echo``, or as vLLM does."""
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
    """Rule for the cached answers that may be used; set by a run."""

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
        """``n`` samples for each context, or the one greedy response; likeliest first if the server tells.

        Where a context is too long for the server, whole turns are left out from its start, with a warning that counts
        them. There is no response if the server gives none; a reason instead of one if it refuses the context.
        PartlyAnswered if it answers some contexts and then fails.
        """
        if n < 1 or not contexts:
            return [() for _ in contexts]
        from dialeval.systems.openai.questions import generate_all

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

    def recall(self, contexts: Sequence[Context], *, seed: int = 0, sample: int = 0) -> list[Response | None]:
        """Cached first answer to each context, or another ``sample``; None if there is none. Nothing is sent."""
        from dialeval.systems.openai.questions import recall_all

        return recall_all(self, contexts, seed, sample)

    def ask_again(self, contexts: Sequence[Context], *, seed: int = 0) -> list[tuple[Response, ...]]:
        """Answers of the server as it is now; no cached answer is used or replaced."""
        from dialeval.systems.openai.questions import ask_again_all

        return ask_again_all(self, contexts, seed)

    def refuses(self, context: Context) -> str | None:
        """Return why the server cannot answer here: a role that the chat API does not know."""
        reason = unknown_role(context) if self.api == "chat" else None
        return reason and f"not asked: {reason}"

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Return what this many tokens cost; None if no prices were given."""
        return None if self.prices is None else self.prices.of(prompt_tokens, completion_tokens)

    def logprob(self, contexts: Sequence[Context], responses: Sequence[str]) -> Floats:
        """Natural-log probability of each whole response, and of ``end`` after it, given its context."""
        self._need_likelihood()
        if len(contexts) != len(responses):
            raise ValueError(f"{len(contexts)} contexts and {len(responses)} responses do not pair up")
        from dialeval.systems.openai.questions import score_all

        return np.array([scored.logprob for scored in score_all(self, contexts, responses)], dtype=np.float64)

    def tokens(self, responses: Sequence[str]) -> Integers:
        """Return how many tokens of the server's each response has, those of ``end`` included."""
        self._need_likelihood()
        from dialeval.systems.openai.questions import count_all

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
        """Address of the API, without a slash at its end."""
        return self.base_url.rstrip("/")

    @property
    def path(self) -> str:
        """Path of the API in use, under the address."""
        return "chat/completions" if self.api == "chat" else "completions"

    @property
    def ending(self) -> str:
        """End of a turn."""
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
