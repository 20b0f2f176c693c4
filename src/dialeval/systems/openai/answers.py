"""Readers of a server's answers: texts, log-probabilities, tokens spent, and errors, some of one item only.

The formats are those of OpenAI's chat and completions APIs, the llama.cpp server's variant of the latter, and vLLM's
``prompt_logprobs``. A body of another shape is ``Malformed``, as one that was cut off on its way.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, TypeGuard

from dialeval.errors import RunFailed, Unsuitable, writable_text
from dialeval.systems.openai.keys import Key
from dialeval.systems.spending import Spent

_CUT: Final = ("length", "max_tokens")
"""Values of ``finish_reason`` if a limit on tokens ended an answer: OpenAI's, and that of gateways to others."""


class Malformed(ValueError):
    """An answer that is not of the shape the API promises."""


class Answer(NamedTuple):
    """A response that a server generated."""

    text: str | None
    """None if there is none, as when all tokens went into reasoning."""
    logprob: float | None
    """Sum over the tokens that the server lists; None if it lists none."""
    prompt_tokens: int | None = None
    """Tokens as the server counts them; None if it does not say."""
    completion_tokens: int | None = None
    seconds: float | None = None
    """From the request to the whole answer, without earlier attempts."""
    cut: bool = False
    """Whether a limit on tokens ended it."""


class PromptTokens(NamedTuple):
    """The tokens of a prompt and the log-probability of each after those before it."""

    tokens: tuple[str, ...]
    """Their texts, or their numbers if the server gives those."""
    logprobs: tuple[float | None, ...]
    """None for the first, which nothing precedes."""


def spent_on(body: object) -> Spent:
    """Tokens of prompt and answer as the server counts them."""
    if not isinstance(body, Mapping):
        return Spent()
    return Spent(*(counted(body, f"{name}_tokens") for name in ("total", "prompt", "completion")))


def counted(body: object, name: str) -> int | None:
    """Number of tokens that ``usage`` has under a name; None if the server does not say."""
    usage = table_of(body).get("usage")
    tokens = usage.get(name) if isinstance(usage, Mapping) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0 else None


def read_answer(body: object) -> Answer:
    """The first choice, of the chat API or the completions API."""
    choice = choice_of(body)
    message = choice.get("message")
    text = message.get("content") if isinstance(message, Mapping) else choice.get("text")
    if text is not None and not isinstance(text, str):
        raise Malformed("the answer's text is not text")
    counts = counted(body, "prompt_tokens"), counted(body, "completion_tokens")
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


def read_echo(body: object, prompt: str) -> PromptTokens:
    """The prompt's tokens, from a completion asked for with ``echo`` and ``logprobs``.

    The tokens of whatever was generated after the prompt are cut off by the server's own count of the prompt's.
    """
    choice = choice_of(body)
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
    count = counted(body, "prompt_tokens")
    if count is not None:
        if count > len(tokens):
            raise Unsuitable(
                _refused("echo", f"counts {count} tokens in the prompt but lists only {len(tokens)}")
            )
        tokens, values = tokens[:count], values[:count]
    elif text != prompt:
        raise Unsuitable(_refused("echo", "generated more without saying ('usage') where the prompt ends"))
    return _prompted([str(token) for token in tokens], values, "echo")


def read_prompt_logprobs(body: object) -> PromptTokens:
    """The prompt's tokens, from an answer asked for with vLLM's ``prompt_logprobs`` of 1.

    Each place has the prompt's own token, and beside it the likeliest if that is another: so the less likely of the
    two is the prompt's. Where both are equally likely, vLLM has the prompt's first.
    """
    places = table_of(body).get("prompt_logprobs") or choice_of(body).get("prompt_logprobs")
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


def _prompted(tokens: Sequence[str], values: Sequence[object], way: str) -> PromptTokens:
    if any(value is None for value in values[1:]):
        raise Unsuitable(_refused(way, "left log-probabilities out between the prompt's tokens"))
    return PromptTokens(tuple(tokens), tuple(None if value is None else _logprob(value) for value in values))


def is_logprob(value: object) -> TypeGuard[float]:
    """Return whether the value can be a log-probability; rounding may put it just above 0."""
    return not isinstance(value, bool) and isinstance(value, int | float) and value <= 1e-3


def _logprob(value: object) -> float:
    if not is_logprob(value):
        raise Malformed(f"{value!r} is not a log-probability")
    return float(value)


def _refused(way: str, what: str) -> str:
    return (
        f"Asked for the likelihood of a response by {way!r}, the server {what}. So it cannot score "
        "responses in this way: set 'likelihood: none' and leave out what needs likelihoods, or use a server "
        "that gives them, such as vLLM."
    )


def choice_of(body: object) -> Mapping[str, object]:
    """Return the first choice of an answer; Malformed if there is none."""
    choices = table_of(body).get("choices")
    if not isinstance(choices, list) or not choices:
        raise Malformed("the answer has no 'choices'")
    return table_of(choices[0])


def table_of(value: object) -> Mapping[str, object]:
    """Return the object; Malformed if the value is something else."""
    if not isinstance(value, Mapping):
        raise Malformed(f"found {type(value).__name__} where an object belongs")
    return value


Kind: TypeAlias = Literal["too_long", "filtered", "unsuitable", "other"]
"""Reason of a refusal: the context is longer than its window, it will not speak about this, it rejects this request
while it answers others of the same settings, or anything else."""

_SHOWN: Final = 300
_PLAIN: Final = 4096
"""Characters of a body without a message that are looked at."""
_RETRIED: Final = frozenset({408, 409, 425, 429})
# Error codes of OpenAI and llama.cpp, and the words of vLLM, which has no code for it.
_TOO_LONG: Final = re.compile(
    r"context_length_exceeded|exceed_context_size|context[ _-]?(length|size|window)|prompt is too long",
    re.IGNORECASE,
)
_FILTERED: Final = re.compile(r"content_filter|content_policy|responsibleai", re.IGNORECASE)


class ServerError(NamedTuple):
    """The fields of an error as OpenAI, FastAPI and others write it."""

    message: str
    codes: tuple[str, ...] = ()
    """Its ``code`` and ``type``, if they are texts."""
    parameter: str | None = None
    """The request's parameter that it is about, if the server says so in ``param``."""

    def names(self, parameter: str) -> bool:
        """Whether it is about this parameter of the request; many servers say so in the message alone."""
        return self.parameter == parameter or parameter in self.message

    def kind(self, status: int) -> Kind:
        """Return why the server refuses."""
        text = " ".join((*self.codes, self.message))
        if status in (400, 413, 422) and _TOO_LONG.search(text):
            return "too_long"
        return "filtered" if status in (400, 403, 422) and _FILTERED.search(text) else "other"


class Refusal(RunFailed):
    """A server's answer that sending the same again would not change."""

    def __init__(
        self, status: int, said: str, todo: str = "", kind: Kind = "other", *, wants_tokens: bool = False
    ) -> None:
        self.status, self.said, self.kind = status, said, kind
        self.wants_tokens = wants_tokens
        """Whether the server is not content with our ``max_tokens``."""
        stop = "" if said.endswith((".", "!", "?")) else "."
        super().__init__(f"The server refused (HTTP {status}): {said}{stop} {todo}".rstrip())

    @property
    def one_item(self) -> bool:
        """Whether it concerns what was asked about rather than how: other items may well be answered."""
        return self.kind != "other"

    @property
    def bad_request(self) -> bool:
        """Whether it was what we asked, rather than who or where."""
        return self.status in (400, 413, 422)


class Unusable(RunFailed):
    """An answer that the server gave and nobody can use; it concerns one item, and is never cached."""


class GivenUp(Unusable):
    """No usable answer after all retries; it concerns one item if the server answers others."""

    def __init__(self, message: str, what: str) -> None:
        super().__init__(message)
        self.what = what
        """The last fault and the number of attempts, in a few words."""


def worth_retrying(status: int, body: str) -> bool:
    """Whether the same request may be answered a little later."""
    if status == 429:
        return "insufficient_quota" not in read_error(body).codes
    return status in _RETRIED or (status >= 500 and status != 501)


def refusal(status: int, body: str, key: Key, variable: str | None) -> Refusal:
    """The server's message, shortened, without the key, and what to do about it."""
    error = read_error(body)
    return Refusal(
        status,
        said(body, key),
        _todo(status, error, variable),
        error.kind(status),
        wants_tokens=error.names("max_tokens"),
    )


def said(body: str, key: Key) -> str:
    """Return what an error's body says, in one line that may be shown."""
    error = read_error(body)
    message = f"{error.message} ({', '.join(error.codes)})" if error.codes else error.message
    # Hidden before it is cut: half a key would no longer be found.
    words = " ".join(writable_text(key.hide(message)).split())
    return f"{words[:_SHOWN].rstrip()} ..." if len(words) > _SHOWN else words or "it gave no reason."


def error_in(body: object) -> str | None:
    """The error that some servers put into an answer of status 200, as text; None if there is none."""
    error = body.get("error") if isinstance(body, Mapping) else None
    return json.dumps(body) if error and not (isinstance(body, Mapping) and body.get("choices")) else None


def read_error(body: str) -> ServerError:
    """The error in a body, which may be JSON of several shapes, HTML or plain text."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return ServerError(re.sub(r"<[^>]*>", " ", body[:_PLAIN]))
    if not isinstance(content, Mapping):
        return ServerError(body[:_PLAIN])
    error = content.get("error", content)
    if not isinstance(error, Mapping):
        return ServerError(str(error))
    message = error.get("message", error.get("detail"))
    if message is None:
        return ServerError(body[:_PLAIN])
    codes = dict.fromkeys(error[name] for name in ("code", "type") if isinstance(error.get(name), str))
    parameter = error.get("param")
    return ServerError(str(message), tuple(codes), parameter if isinstance(parameter, str) else None)


def _todo(status: int, error: ServerError, variable: str | None) -> str:
    if status in (401, 403):
        return (
            f"Check the key in {variable!r}."
            if variable
            else "Name the variable that holds its key in 'api_key_env'."
        )
    if status == 404:
        return "Check 'model' and 'base_url', which mostly ends in /v1."
    if status == 429:
        return "The account has no credit left."
    if 300 <= status < 400:
        return "It sends requests elsewhere; give that address as 'base_url'."
    if error.names("logprobs"):
        return "If it does not give log-probabilities, set 'logprobs: false'; a judge needs none if its mode is 'json'."
    if error.names("max_completion_tokens"):
        return "Leave 'max_tokens' out of 'decoding', or set 'extra: {max_tokens: null, max_completion_tokens: 60}'."
    return ""
