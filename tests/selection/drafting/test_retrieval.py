"""Utterances like a ground truth: half by words, half by meaning."""

from __future__ import annotations

import pytest

from dialeval.errors import Unsuitable
from dialeval.resources import check
from dialeval.selection.drafting.retrieval import CandidateRules, retrieve
from dialeval.selection.repository.utterances import Excluded
from dialeval.selection.repository.words import content_words, words
from support.repositories import LINES, drawn_vectors, small_repository

ANY_LENGTH = CandidateRules(shortest=0, longest=100)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return small_repository(tmp_path_factory.mktemp("small"))


def test_half_come_by_words_and_half_by_meaning(repository):
    [found] = retrieve(repository, ["I lost the car near the park last week."], m=6, rules=ANY_LENGTH)
    assert [one.by for one in found] == ["lexical", "vector"] * 3
    assert len({one.id for one in found}) == 6
    assert all(one.text == LINES[one.id] for one in found)


def test_an_odd_number_gives_words_the_extra_one(repository):
    [found] = retrieve(repository, ["I lost the car near the park last week."], m=5, rules=ANY_LENGTH)
    assert sorted(one.by for one in found) == ["lexical"] * 3 + ["vector"] * 2


def test_what_is_found_by_words_shares_a_content_word(repository):
    texts = ["Do I have to focus it?", "The camera is new to my sister.", "We like tennis."]
    for text, found in zip(texts, retrieve(repository, texts, m=4, rules=ANY_LENGTH), strict=True):
        shared = [
            set(content_words(one.text)) & set(content_words(text)) for one in found if one.by == "lexical"
        ]
        assert shared
        assert all(shared)


def test_where_words_find_too_few_meaning_fills_up(repository):
    # Only one utterance has golf in it.
    [found] = retrieve(repository, ["Golf?"], m=4, rules=ANY_LENGTH)
    assert [one.by for one in found] == ["lexical", "vector", "vector", "vector"]


def test_the_papers_question_is_found_again(repository):
    """Sato et al. (2020), Table 2: all three false candidates share ``focus``."""
    [found] = retrieve(repository, ["Do I have to focus it?"], m=3)
    assert {one.text for one in found} == set(LINES[:3])


def test_neither_the_text_itself_nor_its_like_is_found(repository):
    text = "the CAMERA is on the table !"
    [found] = retrieve(repository, [text], m=6, rules=ANY_LENGTH)
    assert LINES[3] not in {one.text for one in found}
    assert not any(ANY_LENGTH.alike(words(text), words(one.text)) for one in found)


def test_nothing_like_the_texts_apart_is_found(repository):
    text = "Is the camera on the park table?"
    [free] = retrieve(repository, [text], m=6, rules=ANY_LENGTH)
    [kept] = retrieve(repository, [text], m=6, rules=ANY_LENGTH, apart=[["Press the button of the camera!"]])
    assert LINES[4] in {one.text for one in free}
    assert LINES[4] not in {one.text for one in kept}


def test_what_is_excluded_is_not_found_however_it_is_spelled(repository):
    text = "Is the camera on the park table?"
    [free] = retrieve(repository, [text], m=6, rules=ANY_LENGTH)
    apart = Excluded.of(["press the BUTTON of the camera", "he lost his camera in the park !"])
    [kept] = retrieve(repository, [text], m=6, rules=ANY_LENGTH, exclude=apart)
    barred = {LINES[4], LINES[13]}
    assert barred <= {one.text for one in free}
    assert not barred & {one.text for one in kept}
    assert len(kept) == 6


def test_no_two_that_are_found_are_alike(tmp_path):
    lines = [
        f"{opening} my camera is {place}." for opening in ("So", "Now", "Well") for place in ("red", "new")
    ]
    repository = small_repository(tmp_path, lines)
    [found] = retrieve(repository, ["Who has a camera?"], m=6, rules=ANY_LENGTH)
    # Those that differ in one word of five are alike, so that only two are left, which differ in two.
    assert len(found) == 2


def test_lengths_are_near_the_texts(repository):
    [found] = retrieve(repository, ["The park has tennis, a camera and a table for my sister."], m=3)
    assert found
    assert all(7.3 <= len(words(one.text)) <= 16.5 for one in found)


def test_a_search_that_finds_too_few_at_first_goes_deeper(repository):
    text = "I lost the car near the park last week."
    assert retrieve(repository, [text], m=6, depth=1, rules=ANY_LENGTH)[0][5:]


def test_there_may_be_none_or_fewer_than_asked_for(repository):
    found = retrieve(repository, ["Is it?", "", "Focus."], m=50, rules=ANY_LENGTH)
    assert found[:2] == [(), ()]
    assert 0 < len(found[2]) <= len(LINES)
    assert retrieve(repository, [], m=3) == []


def test_company_changes_nothing(repository):
    texts = [
        f"{line} And the {word}." for line in LINES for word in ("car", "park", "game", "camera", "table")
    ]
    together = retrieve(repository, texts, m=4)
    assert [retrieve(repository, [text], m=4)[0] for text in texts[::9]] == together[::9]


def test_less_than_one_cannot_be_asked_for(repository):
    with pytest.raises(Unsuitable, match="m=0"):
        retrieve(repository, ["Focus."], m=0)


def test_ranked_anew_the_same_utterances_come_in_another_order(tmp_path):
    status = check("all-minilm-l6-v2", verify=False)
    if status.path is None:
        pytest.skip(status.detail)
    vectors = drawn_vectors(tmp_path / "vectors")
    plain = small_repository(tmp_path / "plain", words=vectors)
    averages = tmp_path / "plain" / "repository" / "vectors" / "averages.npy"
    before = averages.stat().st_mtime_ns
    anew = small_repository(tmp_path / "plain", words=vectors, vectors="reranked")
    assert averages.stat().st_mtime_ns == before
    text = "My brother played tennis in the garden."
    by_vector = [
        [
            one
            for one in retrieve(repository, [text], m=9, depth=14, rules=ANY_LENGTH)[0]
            if one.by == "vector"
        ]
        for repository in (plain, anew)
    ]
    assert [one.score for one in by_vector[1]] == sorted((one.score for one in by_vector[1]), reverse=True)
    cosines = anew.vectors.units_in_context([text]) @ anew.vectors.units_in_context([by_vector[1][0].text]).T
    assert by_vector[1][0].score == pytest.approx(float(cosines[0, 0]), abs=1e-3)
    assert by_vector[0] != by_vector[1]
