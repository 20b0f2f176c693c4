"""Every command and snippet on the page about measures and people works as printed."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths import DOCS

PAGE = (DOCS / "meta.md").read_text(encoding="utf-8")


def blocks() -> Iterator[tuple[str, str]]:
    yield from re.findall(r"^```(sh|python|text)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_tutorial_runs_from_raw_ratings_to_p_values(dialeval, shared_data, capsys):
    for name in ("fed_data.json", "turn_level_model_score_list.json"):
        shutil.copy(shared_data / "fed" / name, name)
    printed = ""
    for kind, block in blocks():
        if kind == "sh":
            for line in block.splitlines():
                done = dialeval(*shlex.split(line)[1:])
                assert done.code == 0, f"{line}\n{done.err}"
                printed = done.out
        elif kind == "python":
            exec(compile(block, "meta.md", "exec"), {})
            printed = capsys.readouterr().out
        else:
            assert [line.rstrip() for line in printed.splitlines()] == block.splitlines(), (
                "paste what is printed"
            )
    for picture in re.findall(r"\(pictures/([^)]+)\)", PAGE):
        assert Path("runs/fed/plots", picture).is_file()
        assert (DOCS / "pictures" / picture).stat().st_size < 100_000


def test_every_picture_of_the_tutorial_has_words():
    assert all(len(words) > 40 for words in re.findall(r"!\[([^\]]*)\]", PAGE))
    assert PAGE.count("](pictures/") == 4
