"""User-supplied systems: a function of messages, or a class that responds or gives log-probabilities."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dialeval.core import Signature, System
from dialeval.core.custom import checked_options, options_of, plain, with_source
from dialeval.data.types import Context, Response
from dialeval.errors import DialevalError, Unsuitable, first_line
from dialeval.files.custom_code import SYSTEMS, CustomCode, installed, is_place, load_code

_ABILITIES: Final = ("generate", "replay", "logprob")


@dataclass(frozen=True, slots=True)
class FunctionSystem:
    """Answers with what a plain function returns for the messages so far, each ``{"role": …, "content": …}``."""

    name: str
    signature: Signature
    function: Callable[..., Any]

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """One response to each context; the function is given ``seed`` if it has a parameter of that name."""
        extra = {"seed": seed} if "seed" in inspect.signature(self.function).parameters else {}
        options = {**dict(self.signature.parameters), **extra}
        return [self._answer(context, options) if n > 0 else () for context in contexts]

    def _answer(self, context: Context, options: Mapping[str, Any]) -> tuple[Response, ...]:
        messages = [{"role": turn.speaker, "content": turn.text} for turn in context]
        try:
            answer = self.function(messages, **options)
        except Exception as error:
            last = context[-1].text[:40] if context else ""
            raise Unsuitable(
                f"{self.signature.name} failed on the context that ends in {last!r}: {type(error).__name__}: "
                f"{first_line(error)}."
            ) from error
        if answer is not None and not isinstance(answer, str):
            raise Unsuitable(
                f"{self.signature.name} gave {type(answer).__name__}; expected text, or None where it has no answer."
            )
        return () if answer is None else (Response(answer),)


def custom_place(kind: str) -> str | None:
    """Return the place of a kind that is not one of ours: the one it names, or that a package has registered."""
    return kind if is_place(kind) else installed(SYSTEMS, kind)


def make_custom_system(place: str, options: Mapping[str, Any], *, folder: Path) -> System:
    """The system that a custom function or class makes, with the keys that a study gives it."""
    code = load_code(place, folder)
    name = str(options.get("name") or code.thing.__name__)
    given = {key: value for key, value in options.items() if key != "name"}
    if code.is_function:
        return _of_function(code, name, given)
    accepted = options_of(code.thing)
    if "name" in accepted:
        given["name"] = name
    values = checked_options(code.place, accepted, given)
    if not any(hasattr(code.thing, ability) for ability in _ABILITIES):
        raise DialevalError(
            f"{code.place} has none of {', '.join(_ABILITIES)}. A system answers with generate(contexts, *, n=1, "
            "seed=0), which returns a tuple of Responses for each context."
        )
    try:
        system: Any = _named(code, name, values)(**{key: values[key] for key in given})
    except (TypeError, ValueError) as error:
        raise DialevalError(f"Cannot make {code.place}: {first_line(error)}.") from error
    made: System = system
    return made


def _of_function(code: CustomCode, name: str, given: Mapping[str, Any]) -> FunctionSystem:
    parameters = list(inspect.signature(code.thing).parameters)
    if not parameters:
        raise DialevalError(
            f"{code.place} takes nothing; expected a function such as def {code.thing.__name__}(messages) that "
            "returns text."
        )
    options = checked_options(code.place, options_of(code.thing, (parameters[0], "seed")), given)
    facts = (("form", "function"), ("source", code.source))
    return FunctionSystem(name, Signature(code.place, plain(options), facts), code.thing)


def _named(code: CustomCode, name: str, values: Mapping[str, Any]) -> type[Any]:
    """The class, with a name if it has none of its own."""
    own = with_source(code, plain({key: value for key, value in values.items() if key != "name"}))
    if "name" in values or hasattr(code.thing, "name"):
        return own
    return type(code.thing.__name__, (own,), {"__slots__": (), "name": property(lambda _self: name)})
