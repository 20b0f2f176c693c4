"""Readers of a server's answers: texts, log-probabilities, tokens spent.

The formats are those of OpenAI's chat and completions APIs, the llama.cpp server's variant of the latter, and vLLM's
``prompt_logprobs``. A body of another shape is ``Malformed``, as one that was cut off on its way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.errors import Unsuitable

_CUT: Final = ("length", "max_tokens")
"""Values of ``finish_reason`` if a limit on tokens ended an answer: OpenAI's, and that of gateways to others."""


class Malformed(ValueError):
    """An answer that is not of the shape the API promises."""


class Answer(NamedTuple):
    """A response that a server generated."""

    text: str | None
    """None where there is none, as when all tokens went into reasoning."""
    logprob: float | None
    """Sum over the tokens that the server lists; None where it lists none."""
    prompt_tokens: int | None = None
    """As the server counts them; None where it does not say."""
    completion_tokens: int | None = None
    seconds: float | None = None
    """From the request to the whole answer, without earlier attempts."""
    cut: bool = False
    """Whether a limit on tokens ended it."""


class Prompted(NamedTuple):
    """The tokens of a prompt and the log-probability of each after those before it."""

    tokens: tuple[str, ...]
    """Their texts, or their numbers where the server gives those."""
    logprobs: tuple[float | None, ...]
    """None for the first, which nothing precedes."""


def tokens_spent(body: object) -> int | None:
    """Tokens of prompt and answer; None where the server does not say."""
    return _counted(body, "total_tokens")


def _counted(body: object, name: str) -> int | None:
    usage = _table(body).get("usage")
    tokens = usage.get(name) if isinstance(usage, Mapping) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def read_answer(body: object) -> Answer:
    """The first choice, of the chat API or the completions API."""
    choice = _choice(body)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    if text is not None and not isinstance(text, str):
        raise Malformed("the answer's text is not text")
    counts = _counted(body, "prompt_tokens"), _counted(body, "completion_tokens")
    cut = choice.get("finish_reason") in _CUT
    return Answer(text, _total(choice.get("logprobs")), *counts, cut=cut)


def _total(logprobs: object) -> float | None:
    """The sum over generated tokens, of ``content`` (chat, and llama.cpp's completions) or ``token_logprobs``."""
    if not isinstance(logprobs, Mapping):
        return None
    content = logprobs.get("content")
    if isinstance(content, list):
        listed = [token.get("logprob") if isinstance(token, Mapping) else None for token in content]
    else:
        values_listed = logprobs.get("token_logprobs")
        listed = values_listed if isinstance(values_listed, list) else []
    values = [_logprob(value) for value in listed]
    return math.fsum(values) if values else None


def read_echo(body: object, prompt: str) -> Prompted:
    """The prompt's tokens, from a completion asked for with ``echo`` and ``logprobs``.

    The tokens of whatever was generated after the prompt are cut off by the server's own count of the prompt's.
    """
    choice = _choice(body)
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("tokens") if isinstance(logprobs, Mapping) else None
    values = logprobs.get("token_logprobs") if isinstance(logprobs, Mapping) else None
    text = choice.get("text")
    echoed = isinstance(text, str) and text.startswith(prompt)
    if (
        not echoed
        or not isinstance(tokens, list)
        or not isinstance(values, list)
        or len(tokens) != len(values)
    ):
        raise Unsuitable(_refused("echo", "did not repeat the prompt with its tokens' log-probabilities"))
    count = _counted(body, "prompt_tokens")
    if count is not None:
        if count > len(tokens):
            raise Unsuitable(
                _refused("echo", f"counts {count} tokens in the prompt but lists only {len(tokens)}")
            )
        tokens, values = tokens[:count], values[:count]
    elif text != prompt:
        raise Unsuitable(_refused("echo", "generated more without saying ('usage') where the prompt ends"))
    return _prompted([str(token) for token in tokens], values, "echo")


def read_prompt_logprobs(body: object) -> Prompted:
    """The prompt's tokens, from an answer asked for with vLLM's ``prompt_logprobs`` of 1.

    Each place has the prompt's own token, and beside it the likeliest where that is another: so the less likely of the
    two is the prompt's. Where both are equally likely, vLLM has the prompt's first.
    """
    places = _table(body).get("prompt_logprobs") or _choice(body).get("prompt_logprobs")
    if not isinstance(places, list) or not places:
        raise Unsuitable(_refused("prompt_logprobs", "gave no 'prompt_logprobs'"))
    tokens: list[str] = []
    values: list[object] = []
    for place in places:
        listed = [
            (float(entry["logprob"]), str(token))
            for token, entry in (place.items() if isinstance(place, Mapping) else ())
            if isinstance(entry, Mapping) and isinstance(entry.get("logprob"), int | float)
        ]
        value, token = min(listed, key=lambda entry: entry[0]) if listed else (None, "")
        tokens.append(token)
        values.append(value)
    return _prompted(tokens, values, "prompt_logprobs")


def _prompted(tokens: Sequence[str], values: Sequence[object], way: str) -> Prompted:
    if any(value is None for value in values[1:]):
        raise Unsuitable(_refused(way, "left log-probabilities out between the prompt's tokens"))
    return Prompted(tuple(tokens), tuple(None if value is None else _logprob(value) for value in values))


def _logprob(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= 1e-3:
        raise Malformed(f"{value!r} is not a log-probability")
    return float(value)


def _refused(way: str, what: str) -> str:
    return (
        f"Asked for the likelihood of a response by {way!r}, the server {what}. So it cannot score "
        "responses in this way: set 'likelihood: none' and leave out what needs likelihoods, or use a server "
        "that gives them, such as vLLM."
    )


def _choice(body: object) -> Mapping[str, object]:
    choices = _table(body).get("choices")
    if not isinstance(choices, list) or not choices:
        raise Malformed("the answer has no 'choices'")
    return _table(choices[0])


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise Malformed(f"found {type(value).__name__} where an object belongs")
    return value
