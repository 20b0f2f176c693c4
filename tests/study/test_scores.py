"""A run that holds no texts in memory writes the bytes of one that does."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dialeval.data.table import holding, is_large
from dialeval.engine import Cache, ProcessPool
from dialeval.study import Run, Workshop, load_study, run_study, write_page, write_run
from dialeval.study.provenance import Circumstances
from dialeval.study.scores import holding_all
from dialeval.systems.transcript import _recorded
from dialeval.text.ids import TextColumn

METRIC = '''
def broken(response):
    """Fails on a long response."""
    if len(response) > 15:
        raise ValueError("too long for me")
    return 1.0
'''
MEASURES = "[rouge_l, bleu(order=2), 'broken.py:broken', length, distinct(n=1), cider]"
ECHO = "kind: echo}"
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def big(study_folder: Path) -> Path:
    """The small study with more kinds of measures; its transcripts in another order than the data."""
    for name in ("good", "poor"):
        lines = (study_folder / f"{name}.jsonl").read_text().splitlines()
        (study_folder / f"{name}.jsonl").write_text("\n".join(lines[::-1]) + "\n")
    (study_folder / "broken.py").write_text(METRIC)
    (study_folder / "floor.txt").write_text("".join(f"platform {place}\n" for place in range(40)))
    path = study_folder / "study.yaml"
    text = path.read_text().replace("[bleu(order=2), rouge_l, length]", MEASURES)
    path.write_text(text.replace(ECHO, "kind: transcript, path: floor.txt}"))
    return path


def carry_out(path: Path, out: Path, workshop: Workshop) -> tuple[Run, dict[str, bytes]]:
    done = run_study(load_study(path), workshop)
    content = write_run(done, out, Circumstances(MOMENT, MOMENT, "dialeval run"))
    write_page(content, out)
    return done, {file.name: file.read_bytes() for file in sorted(out.iterdir()) if file.is_file()}


@pytest.mark.parametrize("changes", ["", "missing: own\n", "missing: worst\n", "limit: 9\n"])
def test_its_files_and_page_have_the_same_bytes(big, tmp_path, changes):
    text = big.read_text()
    if "worst" in changes:  # which measures without a worst value refuse
        text = text.replace(MEASURES, "[rouge_l, bleu(order=2)]")
    big.write_text(text + changes)
    plain, expected = carry_out(big, tmp_path / "plain", Workshop(batch_size=4))
    assert not is_large(plain.prompts)
    _recorded.cache_clear()
    with holding(7):
        done, files = carry_out(big, tmp_path / "streamed", Workshop(batch_size=4))
    assert is_large(done.prompts)
    assert all(is_large(respondent.examples) for respondent in done.respondents)
    assert isinstance(done.scored[0].result.items, TextColumn)
    assert done.failures == plain.failures
    if "broken" in text:
        assert any("too long for me" in failure.message for failure in done.failures)
    assert files == expected


def test_workers_and_what_is_kept_change_nothing(big, tmp_path):
    text = big.read_text().replace(MEASURES, "[rouge_l, length]")
    big.write_text(text.replace("kind: transcript, path: floor.txt}", ECHO))
    with holding(7), ProcessPool(2) as pool:
        workshop = Workshop(pool, Cache(tmp_path / "cache"), batch_size=4)
        _, files = carry_out(big, tmp_path / "first", workshop)
        kept = Cache(tmp_path / "cache").size()
        _, again = carry_out(big, tmp_path / "second", workshop)
    _recorded.cache_clear()
    plain, expected = carry_out(
        big, tmp_path / "plain", Workshop(cache=Cache(tmp_path / "cache"), batch_size=4)
    )
    assert not is_large(plain.prompts)
    assert files == again == expected
    assert Cache(tmp_path / "cache").size() == kept, (
        "later runs found everything, with and without texts in memory"
    )


def test_a_transcript_whose_ids_or_contexts_are_others_fails_as_ever(big, tmp_path):
    folder = big.parent
    rows = [json.loads(line) for line in (folder / "good.jsonl").read_text().splitlines()]
    rows[0]["context"] = [{"role": "user", "content": "something else"}]
    (folder / "good.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "poor.jsonl").write_text((folder / "poor.jsonl").read_text() * 2)
    plain = run_study(load_study(big))
    (folder / "good.jsonl").touch()
    with holding(7):
        (folder / "poor.jsonl").write_text((folder / "poor.jsonl").read_text() + "\n")
        streamed = run_study(load_study(big))
    assert [(failure.system, failure.measure) for failure in plain.failures[:2]] == [
        ("good", None),
        ("poor", None),
    ]
    assert streamed.failures == plain.failures


def test_parts_that_hold_all_texts_are_named(big):
    assert holding_all(load_study(big)) == ["distinct(n=1)", "cider"]
    text = big.read_text().replace("kind: transcript, path: floor.txt}", ECHO)
    big.write_text(text.replace(MEASURES, "[rouge_l, length]"))
    assert holding_all(load_study(big)) == ["floor"]
