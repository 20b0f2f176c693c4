"""Problems that pydantic finds in what people wrote, in plain words and at the place where they wrote it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_KINDS: Final = {
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), "a whole number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("string_type", "string_sub_type"), "text"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "dataclass_type"), "keys with values"),
    "string_too_short": "text that is not empty",
    "finite_number": "a finite number",
    "path_type": "a path",
}
_LIMITS: Final = {
    "greater_than": ("gt", "a number above {}"),
    "greater_than_equal": ("ge", "{} or more"),
    "less_than": ("lt", "a number below {}"),
    "less_than_equal": ("le", "{} or less"),
}


class Place(NamedTuple):
    """An error, the keys and numbers of entries that lead to it in the file, and what was expected there."""

    steps: tuple[int | str, ...]
    error: ErrorDetails
    expected: str

    @property
    def path(self) -> str:
        """Such as ``systems[0].name``."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps).lstrip(
            "."
        )


def _expected(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind in _LIMITS:
        name, words = _LIMITS[kind]
        return words.format(f"{context[name]:g}")
    if kind in ("literal_error", "enum"):
        return (
            f"one of {context['expected']}"
            if " or " in str(context["expected"])
            else str(context["expected"])
        )
    return _KINDS.get(kind) or f"another value ({error['msg'][:1].lower()}{error['msg'][1:]})"


def places(errors: Sequence[ErrorDetails], content: object) -> list[Place]:
    """Return where in ``content`` each error is.

    Where a key may hold one of several types, pydantic tells of each of them and puts the type into the path. Of these
    errors the deepest remain: of {measure: -1} for a margin, that -1 is too small, and nothing of its being a mapping.
    """
    found = [Place(tuple(_steps(error, content)), error, _expected(error)) for error in errors]
    several = {place.steps for place in found if _of_several(place)}
    kept: dict[tuple[object, ...], Place] = {}
    for place in found:
        size = len(place.steps)
        if place.steps in several and any(
            len(other) > size and other[:size] == place.steps for other in several
        ):
            continue
        key = place.steps if place.steps in several else place.error["loc"]
        other = kept.get(key)
        kept[key] = (
            place if other is None else other._replace(expected=f"{other.expected} or {place.expected}")
        )
    return list(kept.values())


def _of_several(place: Place) -> bool:
    """Whether the error is of one of several types that a key may hold."""
    return len(place.steps) < len(place.error["loc"])


def _steps(error: ErrorDetails, content: object) -> Iterator[int | str]:
    """The steps of an error's path that are keys of the content, or missing from it."""
    here, last = content, len(error["loc"]) - 1
    for index, step in enumerate(error["loc"]):
        if _holds(here, step):
            yield step
            here = cast(Any, here)[step]
        elif index == last and error["type"] in ("missing", "missing_argument"):
            yield step


def _holds(content: object, step: int | str) -> bool:
    if isinstance(content, Mapping):
        return step in content
    return isinstance(content, list | tuple) and isinstance(step, int) and step < len(content)
