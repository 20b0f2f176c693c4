"""``dialeval docs``: the pages, offline; and what messages say of them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialeval import errors
from support.paths import DOCS, ROOT

SOURCE = ROOT / "src" / "dialeval"


def test_without_a_topic_every_page_is_listed_with_its_title(dialeval):
    done = dialeval("docs")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == sorted(
        page.stem for page in DOCS.glob("*.md")
    )
    assert re.search(r"^study +A study$", done.out, re.MULTILINE)
    assert json.loads(dialeval("docs", "--json").out)["study"] == "A study"


@pytest.mark.parametrize("topic", ["study", "docs/study.md", "Study"])
def test_a_page_is_printed_as_it_is(dialeval, topic):
    assert dialeval("docs", topic).out == (DOCS / "study.md").read_text(encoding="utf-8")


def test_an_unknown_topic_suggests_close_ones(dialeval):
    done = dialeval("docs", "studdy")
    assert done.code == 2
    assert "There is no page called 'studdy'. Did you mean 'study'?" in done.err
    assert "'dialeval docs' lists the pages." in done.err


def test_installed_by_name_hints_and_pages_install_by_name(dialeval, monkeypatch, tmp_path):
    assert errors.install_command("serve") == "pip install '.[serve]'"
    assert errors.install_advice("serve") == "pip install '.[serve]' (in your clone of dialeval)"
    monkeypatch.setattr(errors, "CLONE", tmp_path)
    assert errors.install_command() == "pip install dialeval"
    assert errors.install_advice("serve") == "pip install 'dialeval[serve]'"
    done = dialeval("docs", "annotation")
    assert done.code == 1
    assert "are not in" in done.err


def messages() -> Iterator[tuple[Path, str]]:
    """Every text of the source that is not a docstring."""
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                yield path, node.value


def test_messages_name_pages_that_there_are_by_the_command_that_prints_them():
    pages = {page.stem for page in DOCS.glob("*.md")}
    named = [
        (path, name) for path, text in messages() for name in re.findall(r"'dialeval docs ([\w-]+)'", text)
    ]
    assert len(named) >= 15
    assert [(path, name) for path, name in named if name not in pages] == []
    by_path = [(path.name, text) for path, text in messages() if re.search(r"docs/[\w-]+\.md", text)]
    # Model cards are read beside the repository.
    assert [text for name, text in by_path if name not in ("trainer.py",)] == []
