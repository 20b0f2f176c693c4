"""What is printed cannot steer a terminal, and JSON stays JSON."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given, strategies as st

from dialeval.display.streams import PrintableStream, behind, printable, printable_streams


@given(st.text(st.characters(codec=None)))
def test_json_says_the_same_after_it_was_made_printable(text: str) -> None:
    said = json.dumps({"name": text}, ensure_ascii=False)
    assert json.loads(printable(said)) == {"name": text}


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"])))
def test_letters_of_every_script_are_left_as_they_are(text: str) -> None:
    assert printable(text) == text


def test_lines_and_tabs_stay_and_a_lone_carriage_return_does_not() -> None:
    assert printable("a\tb\r\nc\rd\n") == "a\tb\r\nc\\u000dd\n"


@pytest.mark.parametrize("text", ["::error::x", "ok\n  ::warning::x", "x ##[error]y"])
def test_only_in_a_github_job_commands_are_broken(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert printable(text) == text
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "::" not in printable(text).replace("::x", "")
    assert "##[" not in printable(text)


def test_json_stays_what_it_was_in_a_github_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert json.loads(printable(json.dumps({"a": "see ##[error]x"}))) == {"a": "see ##[error]x"}


def test_a_stream_is_filtered_once_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    with printable_streams():
        with printable_streams():
            print("\x1b[31mred")
        assert isinstance(sys.stdout, PrintableStream)
        assert behind(sys.stdout) is out
    assert sys.stdout is out
    assert out.getvalue() == "\\u001b[31mred\n"
