"""Questions from real dialogues with real false candidates."""

from __future__ import annotations

import gzip
import json

import pytest

from dialeval.selection.drafting.drafts import build_draft
from dialeval.selection.drafting.retrieval import CandidateRules
from dialeval.selection.repository.repository import build_repository
from dialeval.selection.repository.utterances import Filters
from dialeval.selection.repository.words import content_words, words
from support.repositories import dialogue


@pytest.mark.slow
def test_dailydialog_with_subtitles(shared_data, tmp_path):
    source, apart = tmp_path / "edos.txt", tmp_path / "dailydialog.txt"
    with gzip.open(shared_data / "edos" / "dialogues.jsonl.gz", "rt", encoding="utf-8") as file:
        source.write_text(
            "\n".join(turn for line in file for turn in json.loads(line)["turns"]), encoding="utf-8"
        )
    with (shared_data / "dailydialog" / "valid.json").open(encoding="utf-8") as file:
        turns = [[turn["text"] for turn in json.loads(line)["dialogue"]] for line in file]
    apart.write_text("\n".join(text for texts in turns for text in texts), encoding="utf-8")
    corpus = [dialogue(f"dd-{at}", *texts) for at, texts in enumerate(turns)]

    repository = build_repository([source], tmp_path / "repository", exclude=[apart], vectors="static")
    assert len(repository) > 20_000
    assert repository.facts.dropped["excluded"] > 50
    draft = build_draft(corpus, repository, limit=100, seed=2)
    assert len(draft.questions) == 100
    assert draft == build_draft(corpus, repository, limit=100, seed=2)

    rules, by_words, shared = CandidateRules(), 0, 0
    for question in draft.questions:
        [truth] = [one.text for one in question.candidates if one.correct]
        false = [one.text for one in question.candidates if not one.correct]
        assert len(false) == 10
        said = [words(text) for text in (truth, *(turn.text for turn in question.context))]
        for text in false:
            assert rules.fits(words(text), words(truth))
            assert not rules.repeats(words(text), said)
            assert Filters().reason(text) is None
            said.append(words(text))
            shared += bool(set(content_words(text)) & set(content_words(truth)))
        by_words += sum(one.by == "lexical" for one in draft.retrieved[question.item])
    assert 400 <= by_words <= 600
    assert shared >= 800
