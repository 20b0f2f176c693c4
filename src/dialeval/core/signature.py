"""Signatures: everything that could move a number, in one line."""

from __future__ import annotations

from dataclasses import dataclass

from dialeval.text.calls import Scalar, print_call, split_call


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything that could move a number, in one line that prints and parses back.

    >>> str(Signature("bleu", (("order", 4),), (("tokens", "whitespace"),), version=1))
    'bleu(order=4)|tokens=whitespace|version=1'
    """

    name: str
    parameters: tuple[tuple[str, Scalar], ...] = ()
    """Parameters of the constructor, defaults included."""
    facts: tuple[tuple[str, str], ...] = ()
    """All else that moves the number: conventions, resources by name and hash, rival implementations' versions."""
    version: int = 1
    """Rises when the same parameters begin to give another number."""

    def __post_init__(self) -> None:
        for key, value in self.facts:
            if not key.isidentifier() or key == "version" or "|" in value or "=" in value or not value:
                raise ValueError(f"not a signature fact: {key!r}={value!r}")

    def __str__(self) -> str:
        facts = [f"{key}={value}" for key, value in (*self.facts, ("version", str(self.version)))]
        return "|".join([self.call, *facts])

    @property
    def call(self) -> str:
        """The name with its parameters, as one writes it in a study: ``bleu(order=4)``."""
        return print_call(self.name, self.parameters)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """The signature that prints as ``text``; ValueError where none does."""
        name, parameters, rest = split_call(text)
        facts = [tuple(part.split("=", 1)) for part in rest.split("|")[1:]]
        if not facts or any(len(fact) != 2 for fact in facts) or facts[-1][0] != "version":
            raise ValueError(f"not a signature: {text!r}")
        return cls(name, parameters, tuple((key, value) for key, value in facts[:-1]), int(facts[-1][1]))
