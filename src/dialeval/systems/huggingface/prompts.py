"""Prompts: contexts as the tokens a model reads, and texts as the tokens of responses."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dialeval.data.types import Context, Turn
from dialeval.errors import DialevalError, Unsuitable, close_names, first_line

Form: TypeAlias = Literal["chat", "plain"]
"""``chat``: the model's own template, by roles. ``plain``: one turn per line, without speakers."""
Tokens: TypeAlias = tuple[int, ...]

ROLES: Final = ("user", "assistant", "system")

_MARK: Final = "zqxj"
"""A text that no template writes by itself."""


class ModelPrompt(NamedTuple):
    """A context as a model reads it."""

    tokens: Tokens
    dropped: int = 0
    """Oldest turns that were left out because the model reads no more."""
    cut: bool = False
    """Whether anything was left out."""


@dataclass(frozen=True, slots=True, eq=False)
class PromptFormat:
    """Rules by which one model is prompted."""

    tokenizer: Any
    form: Form
    system_prompt: str | None
    seq2seq: bool
    joins: bool
    """Whether neighbouring turns of one role become one, because the template wants roles to alternate."""

    def prompt(self, context: Context, longest: int) -> ModelPrompt:
        """The tokens of a context, at most ``longest``.

        Whole oldest turns are dropped until the rest fits, opening system turns last of all; if the last turn alone
        is too long, its end is kept.
        """
        tokens = self._tokens(context)
        if len(tokens) <= longest:
            return ModelPrompt(tokens)
        kept = 0
        while kept < len(context) and context[kept].speaker == "system":
            kept += 1

        def without(dropped: int) -> Tokens:
            return self._tokens((*context[:kept], *context[kept + dropped :]))

        most = max(len(context) - kept - 1, 0)
        dropped = bisect_left(range(most), True, key=lambda dropped: len(without(dropped)) <= longest)
        return ModelPrompt(without(dropped)[-longest:], dropped, cut=True)

    def response(self, text: str) -> Tokens:
        """The tokens of a response's text, its end not among them."""
        return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def text(self, tokens: Sequence[int]) -> str:
        """Return what the tokens of a response say."""
        said: str = self.tokenizer.decode(list(tokens), skip_special_tokens=True)
        return said.strip()

    def _tokens(self, context: Context) -> Tokens:
        if self.form == "chat":
            text = render(self.tokenizer, self._messages(context))
            return tuple(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        lines = [self.system_prompt] if self.system_prompt else []
        lines += [turn.text for turn in context]
        # An encoder reads to the end of the context; a causal model continues on a new line.
        text = "\n".join(lines) if self.seq2seq else "".join(f"{line}\n" for line in lines)
        tokens = tuple(self.tokenizer(text)["input_ids"])
        # Something must come before the first token: as in training, the end of another text where there is no start.
        first = self.tokenizer.bos_token_id
        return tokens or (self.tokenizer.eos_token_id if first is None else first,)

    def _messages(self, context: Context) -> list[dict[str, str]]:
        said = [{"role": "system", "content": self.system_prompt}] if self.system_prompt else []
        for turn in context:
            _check_role(turn)
            if self.joins and said and said[-1]["role"] == turn.speaker:
                said[-1] = {"role": turn.speaker, "content": f"{said[-1]['content']}\n{turn.text}"}
            else:
                said.append({"role": turn.speaker, "content": turn.text})
        # Templates refuse to open a conversation of nothing: before anything is said, the user has said nothing.
        return said if context else [*said, {"role": "user", "content": ""}]


def prompt_format(tokenizer: Any, form: Form, system_prompt: str | None, *, seq2seq: bool) -> PromptFormat:
    """Return how the model of this tokenizer is prompted, its template tried out if it has one."""
    joins = form == "chat" and not _renders(tokenizer, ("user", "user"))
    return PromptFormat(tokenizer, form, system_prompt, seq2seq, joins)


def render(tokenizer: Any, messages: Sequence[Mapping[str, str]]) -> str:
    """The messages in the model's chat template, up to the place at which the assistant is to speak."""
    try:
        text: str = tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
    # Templates are programs, and each refuses in its own way.
    except Exception as error:
        reason = first_line(error)
        roles = ", ".join(message["role"] for message in messages) or "none"
        raise Unsuitable(
            f"The model's chat template refuses a context with the roles {roles}: {reason}. Change the "
            "roles of the data, or set 'prompt: plain', which needs none."
        ) from None
    return text


def turn_end(tokenizer: Any, form: Form, ends: frozenset[int]) -> int:
    """The token that ends a response: what the template, or a line, ends with, if the model may stop there."""
    if form == "chat" and _renders(tokenizer, ("user", "assistant")):
        said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": _MARK}]
        text = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=False)
        following = tokenizer(text.partition(_MARK)[2], add_special_tokens=False)["input_ids"]
        if following and (following[0] in ends or following[0] in tokenizer.all_special_ids):
            return int(following[0])
    return int(tokenizer.eos_token_id if tokenizer.eos_token_id is not None else min(ends))


def line_end(tokenizer: Any) -> int | None:
    """The token of a line break; None if the tokenizer has none of its own."""
    tokens = tokenizer("\n", add_special_tokens=False)["input_ids"]
    return int(tokens[-1]) if tokens and tokenizer.decode(tokens[-1:]) == "\n" else None


def _renders(tokenizer: Any, roles: Sequence[str]) -> bool:
    try:
        render(tokenizer, [{"role": role, "content": "a"} for role in roles])
    except DialevalError:
        return False
    return True


def not_in_template(context: Context) -> str | None:
    """Return what a context holds that chat templates do not know; None if they know all of it."""
    for turn in context:
        extra = turn.extra or {}
        parts = extra.get("content")
        if turn.speaker not in ROLES:
            return f"not asked: the model's chat template does not know the role {turn.speaker!r}"
        if "tool_calls" in extra or "function_call" in extra:
            return "not asked: the model's chat template does not know calls of tools"
        if isinstance(parts, list) and any(isinstance(part, dict) and "text" not in part for part in parts):
            return "not asked: the model reads text only, and the context has other parts"
    return None


def _check_role(turn: Turn) -> None:
    if turn.speaker not in ROLES:
        close = close_names(turn.speaker, ROLES)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise Unsuitable(
            f"The role {turn.speaker!r}, of the turn {turn.text[:40]!r}, means nothing to a chat template; "
            f"known are {', '.join(ROLES)}.{hint} Rename the roles of the data, or set 'prompt: plain', "
            "which needs none."
        )
