"""Kinds of systems by name; the fields of a kind's class are the keys a study gives it, beside ``kind``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.lazy import Table

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from dialeval.core import System

    SystemMaker: TypeAlias = Callable[..., System]


class Needs(NamedTuple):
    """Packages that a kind of system needs beyond those of dialeval itself."""

    extra: str | None = None
    """The extra that installs them."""
    packages: tuple[str, ...] = ()


SYSTEMS: Final[Table[SystemMaker, Needs]] = Table(Needs())


@SYSTEMS.entry("echo")
def _echo() -> SystemMaker:
    from dialeval.systems.baselines import Echo

    return Echo


@SYSTEMS.entry("filtered")
def _filtered() -> SystemMaker:
    from dialeval.nbest.filtering.system import Filtered

    return Filtered


@SYSTEMS.entry("gold")
def _gold() -> SystemMaker:
    from dialeval.systems.baselines import Gold

    return Gold


@SYSTEMS.entry("huggingface", Needs("neural", ("torch", "transformers", "safetensors")))
def _huggingface() -> SystemMaker:
    from dialeval.systems.huggingface import HuggingFace

    return HuggingFace


@SYSTEMS.entry("nlg", Needs("neural", ("torch", "safetensors")))
def _nlg() -> SystemMaker:
    from dialeval.nlg.generators.system import Nlg

    return Nlg


@SYSTEMS.entry("openai", Needs("api", ("httpx2",)))
def _openai() -> SystemMaker:
    from dialeval.systems.openai import OpenAI

    return OpenAI


@SYSTEMS.family("random", "retrieval")
def _baselines() -> tuple[SystemMaker, ...]:
    from dialeval.systems.baselines import Random, Retrieval

    return Random, Retrieval


@SYSTEMS.entry("trained", Needs("neural", ("torch", "tokenizers", "safetensors")))
def _trained() -> SystemMaker:
    from dialeval.systems.trained import Trained

    return Trained


@SYSTEMS.entry("transcript")
def _transcript() -> SystemMaker:
    from dialeval.systems.transcript import Transcript

    return Transcript
