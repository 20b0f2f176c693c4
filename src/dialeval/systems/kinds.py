"""Abilities, keys and requirements of each kind of system."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.core import System
from dialeval.systems import SYSTEMS
from dialeval.systems.building import keys_of

Ability: TypeAlias = Literal["answer", "replay", "give log-probabilities"]

_ABILITIES: Final[Mapping[str, Ability]] = {
    "generate": "answer",
    "replay": "replay",
    "logprob": "give log-probabilities",
}
_EXTRAS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "huggingface": ("neural", ("torch", "transformers", "safetensors")),
    "openai": ("api", ("httpx2",)),
    "trained": ("neural", ("torch", "tokenizers", "safetensors")),
}
"""The extra that brings a kind's packages, and the packages."""


class Key(NamedTuple):
    """A key a study gives a system."""

    name: str
    needed: bool
    default: str | None
    """As it prints; None where there is none."""


@dataclasses.dataclass(frozen=True, slots=True)
class KindInfo:
    """A kind of system."""

    kind: str
    summary: str
    keys: tuple[Key, ...]
    abilities: tuple[Ability, ...]
    missing: tuple[str, ...]
    """Packages that it needs and that are not installed."""
    install: str | None
    """What installs them."""


def kinds() -> tuple[KindInfo, ...]:
    """Every kind of system, in the order of their names; nothing heavy is imported to tell."""
    return tuple(_info(kind, SYSTEMS[kind]) for kind in sorted(SYSTEMS))


def _info(kind: str, maker: Callable[..., System]) -> KindInfo:
    extra, packages = _EXTRAS.get(kind, (None, ()))
    return KindInfo(
        kind=kind,
        summary=(inspect.getdoc(maker) or "").split("\n\n")[0].replace("\n", " ").replace("``", ""),
        keys=tuple(_key(field) for name, field in keys_of(maker).items() if name != "name"),
        abilities=tuple(word for method, word in _ABILITIES.items() if hasattr(maker, method)),
        missing=tuple(package for package in packages if find_spec(package) is None),
        install=f"pip install 'dialeval[{extra}]'" if extra else None,
    )


def _key(field: dataclasses.Field[object]) -> Key:
    if field.default is not dataclasses.MISSING:
        return Key(field.name, False, str(field.default))
    if field.default_factory is not dataclasses.MISSING:
        return Key(field.name, False, str(field.default_factory()))
    return Key(field.name, True, None)
