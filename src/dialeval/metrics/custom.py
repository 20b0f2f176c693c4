"""User-supplied metrics: a function of a response, or a class with the members of a metric."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias

from dialeval.core import Floats, Metric, Signature
from dialeval.core.batches import lacks_references
from dialeval.core.custom import as_metric, checked_options, options_of, plain, recast, with_source
from dialeval.data.types import Example
from dialeval.errors import DialevalError, Unsuitable, first_line
from dialeval.files.custom_code import METRICS, CustomCode, code_of, installed, is_place, load_code
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.text.calls import split_call

GIVEN: Final = ("response", "references", "context")
"""Arguments of a function, by these names or, if it has none of them, in this order."""

Better: TypeAlias = Literal["higher", "lower", "neither"]
_DIRECTIONS: Final[Mapping[str, bool | None]] = {"higher": True, "lower": False, "neither": None}


@dataclass(frozen=True, slots=True)
class FunctionMetric(Metric[Example]):
    """A plain function of a response, its references and its context; the corpus score is the mean."""

    averages: ClassVar[bool] = True
    declared: Signature
    """``file.py:NAME(options)|better=higher|form=function|source=…``."""
    full_place: str | None = None
    """Place of the function's code; None if its values were read from a run, and only their mean is asked."""
    held: Callable[..., Any] | None = field(default=None, repr=False)
    """The function itself if it was handed over, and need not be loaded."""

    @property
    def signature(self) -> Signature:
        """That of the function."""
        return self.declared

    @property
    def higher_is_better(self) -> bool | None:
        """The function's attribute ``higher_is_better``; True without one."""
        return _DIRECTIONS[dict(self.signature.facts)["better"]]

    @property
    def limits(self) -> tuple[float, float]:
        """The function's attribute ``limits``; without one, any value is possible."""
        low, _, high = dict(self.signature.facts).get("limits", "-inf:inf").partition(":")
        return float(low), float(high)

    @property
    def silence(self) -> float | None:
        """The worst of the declared limits; without one, an unanswered item counts as an empty response does."""
        worst = self.limits[0] if self.higher_is_better else self.limits[1]
        return worst if math.isfinite(worst) else None

    def unscorable(self, example: Example) -> str | None:
        """Return ``no references`` if the function asks for references and there are none."""
        return lacks_references(example) if "references" in self._taken() else None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the function's value and 1; NaN if it gives None."""
        function, taken = self.function(), self._taken()
        return rows_of_values([self._value(function, taken, example) for example in examples])

    def aggregate(self, totals: Floats) -> Floats:
        """The mean of the values; NaN of none."""
        return mean_of_rows(totals)

    def function(self) -> Callable[..., Any]:
        """The function itself."""
        if self.held is not None:
            return self.held
        if self.full_place is None:
            raise DialevalError(f"{self.signature.name} was read from a run and cannot score anything new.")
        function: Callable[..., Any] = load_code(self.full_place, Path()).thing
        return function

    def _taken(self) -> tuple[str, ...]:
        loadable = self.held is not None or self.full_place is not None
        return tuple(given_to(self.function()).values()) if loadable else ()

    def _value(self, function: Callable[..., Any], taken: Sequence[str], example: Example) -> float:
        known = {
            "response": example.response.text,
            "references": list(example.references),
            "context": [turn.text for turn in example.context],
        }
        try:
            value = function(*(known[name] for name in taken), **dict(self.signature.parameters))
        except Exception as error:
            raise DialevalError(
                f"{self.signature.name} failed on item {example.item!r}: {type(error).__name__}: {first_line(error)}."
            ) from error
        if value is None:
            return float("nan")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise DialevalError(
                f"{self.signature.name} gave {type(value).__name__} for item {example.item!r}; expected a number, or "
                "None where there is no value."
            ) from None
        low, high = self.limits
        if number < low or number > high:
            raise DialevalError(
                f"{self.signature.name} gave {_exact(number)} for item {example.item!r}, but declares limits = "
                f"({_exact(low)}, {_exact(high)}). Correct the value, or the limits."
            )
        return number


def custom_metric(
    text: str, folder: Path | None = None, options: Mapping[str, Any] | None = None
) -> Metric[Example] | None:
    """The metric written as ``file.py:NAME(weight=2)``, or under a name that an installed package has registered.

    Files are relative to ``folder``, or to the working directory. None if ``text`` is neither.
    """
    try:
        name, parameters, rest = split_call(text)
    except ValueError:
        return None
    place = name if is_place(name) else installed(METRICS, name)
    if place is None or rest:
        return None
    given = {**dict(parameters), **(options or {})}
    return make_metric(load_code(place, folder or Path.cwd()), given)


def make_metric(code: CustomCode, given: Mapping[str, Any]) -> Metric[Example]:
    """The metric that a custom function or class makes, with the options that were given."""
    if code.is_function:
        return _of_function(code, given)
    values = checked_options(code.place, options_of(code.thing), given)
    own = with_source(code, plain(values), metric=True)
    return as_metric(own(**{name: values[name] for name in given}), code.place)


def handed_metric(thing: object) -> Metric[Example]:
    """The metric that a function, a class or an object of Python is; one without a signature is given one."""
    if inspect.isroutine(thing):
        return replace(_of_function(code_of(thing), {}), held=thing)
    if isinstance(thing, type):
        return make_metric(code_of(thing), {})
    metric: Any = thing
    code = code_of(type(thing))
    if not any(hasattr(thing, member) for member in ("statistics", "aggregate", "without")):
        raise Unsuitable(
            f"Found {type(thing).__name__} as a metric, expected a name such as 'rouge_l', a function of a response, "
            "or a metric."
        )
    if _is_nameless(thing):
        given = {name: getattr(thing, name) for name in options_of(type(thing)) if hasattr(thing, name)}
        metric = recast(thing, with_source(code, plain(given), metric=True))
    return as_metric(metric, code.place)


def _is_nameless(thing: object) -> bool:
    """Whether the object's class says neither a signature nor the name in it."""
    if not isinstance(thing, Metric):
        return not hasattr(thing, "signature")
    own = type(thing)
    return own.signature is Metric.signature and own.name is Metric.name


def custom_summary(metric: object) -> str:
    """Return what a custom metric measures: the first line of its docstring, or nothing."""
    thing = metric.function() if isinstance(metric, FunctionMetric) else type(metric)
    return (inspect.getdoc(thing) or "").partition("\n")[0].rstrip(".")


def from_signature(text: str) -> FunctionMetric | None:
    """The function behind values that were read from a run, without its code; None for a class."""
    signature = Signature.parse(text)
    return FunctionMetric(signature) if dict(signature.facts).get("form") == "function" else None


def given_to(function: Callable[..., Any]) -> dict[str, str]:
    """Return what each of the function's parameters is given: a response, its references, or its context."""
    parameters = inspect.signature(function).parameters
    named = {name: name for name in parameters if name in GIVEN}
    if named:
        return named
    bare = [name for name, each in parameters.items() if each.default is inspect.Parameter.empty]
    return dict(zip(bare, GIVEN, strict=False))


def _of_function(code: CustomCode, given: Mapping[str, Any]) -> FunctionMetric:
    taken = given_to(code.thing)
    if not taken:
        raise DialevalError(
            f"{code.place} takes no response; expected a function such as def {code.thing.__name__}(response, "
            "references, context) that returns a number."
        )
    options = checked_options(code.place, options_of(code.thing, tuple(taken)), given)
    higher = getattr(code.thing, "higher_is_better", True)
    better: Better = "neither" if higher is None else "higher" if higher else "lower"
    limits = _declared_limits(code)
    facts = (("better", better), ("form", "function"), *limits, ("source", code.source))
    return FunctionMetric(Signature(code.place, plain(options), facts), code.full_place)


def _declared_limits(code: CustomCode) -> tuple[tuple[str, str], ...]:
    """The limits that the function declares, as a fact of its signature; nothing if it declares none."""
    given = getattr(code.thing, "limits", None)
    if given is None:
        return ()
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not low < high:
        raise DialevalError(
            f"{code.place} has limits = {given!r}; expected the least and the greatest value there can be, as in "
            f"{code.thing.__name__}.limits = (0, 1)."
        )
    return (("limits", f"{_exact(low)}:{_exact(high)}"),)


def _exact(limit: float) -> str:
    """The shortest form of a limit that reads back as it is."""
    return short if float(short := f"{limit:g}") == limit else repr(limit)
