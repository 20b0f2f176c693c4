"""A plain function or class of one's own is a system like any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.catalogue.building import build_system, inputs_of
from dialeval.core import Generator, System
from dialeval.data import Turn
from dialeval.errors import DialevalError, Unsuitable

CODE = """
from dialeval.data import Response

def reply(messages, seed, mood="calm"):
    return f"{mood} {seed} {messages[-1]['role']}: {messages[-1]['content']}"

def silent(messages):
    return None

def many(messages):
    return ["a", "b"]

def crash(messages):
    raise KeyError("x")

class Shout:
    def __init__(self, marks=1):
        self.marks = marks

    def generate(self, contexts, *, n=1, seed=0):
        return [(Response(context[-1].text.upper() + "!" * self.marks),) for context in contexts]

class Mute:
    pass
"""
CONTEXT = (Turn("user", "Hello"), Turn("assistant", "Hi"), Turn("user", "Tea?"))


@pytest.fixture(autouse=True)
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(CODE)
    return tmp_path


def answer(system: System, seed: int = 0) -> str | None:
    assert isinstance(system, Generator)
    (responses,) = system.generate([CONTEXT], seed=seed)
    return responses[0].text if responses else None


def test_a_function_answers_messages_with_its_options_and_the_seed():
    system = build_system("mine.py:reply(mood='glad')")
    assert answer(system, seed=7) == "glad 7 user: Tea?"
    assert system.name == "reply"
    assert str(system.signature).startswith("mine.py:reply(mood='glad')|form=function|source=")


def test_none_is_no_answer():
    assert answer(build_system("mine.py:silent")) is None


def test_a_class_gets_a_name_and_a_signature_with_its_options():
    system = build_system("mine.py:Shout(marks=2)")
    assert answer(system) == "TEA?!!"
    assert system.name == "Shout"
    assert str(system.signature).startswith("mine.py:Shout(marks=2)|source=")
    assert inputs_of(system) == []


@pytest.mark.parametrize(("name", "said"), [("many", "gave list; expected text"), ("crash", "KeyError")])
def test_an_answer_that_cannot_be_used_is_named(name, said):
    with pytest.raises(Unsuitable, match=said):
        answer(build_system(f"mine.py:{name}"))


def test_a_class_that_cannot_answer_is_refused():
    with pytest.raises(DialevalError, match="none of generate, replay, logprob"):
        build_system("mine.py:Mute")
