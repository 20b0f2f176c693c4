"""The rating corpora in shared data: counts from its README, values looked up by eye in the files."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from dialeval.data import read
from dialeval.data.importers.corpora.score_list import read_scores


def judgements(path, format):
    return list(read(path, "judgement", format=format))


def found(records, **names):
    """The values of the judgements that have these names, in order."""
    return [one.value for one in records if all(getattr(one, key) == name for key, name in names.items())]


def test_every_candidate_of_a_selection_question_has_five_scores(shared_data):
    records = judgements(shared_data / "eval-via-selection" / "human_scores.jsonl", "eval-via-selection")
    assert len(records) == 1019 * 4 * 5
    assert Counter(one.system for one in records) == dict.fromkeys(
        ("ground_truth", "false_1", "false_2", "false_3"), 1019 * 5
    )
    assert found(records, item="selection-2", system="false_3") == [1, 1, 2, 3, 0]
    assert {one.criterion for one in records} == {"acceptability"}
    means = [sum(values) / len(values) for values in (found(records, system="ground_truth"),)]
    assert means == [pytest.approx(4.60, abs=0.005)]  # facts.md, section 4


def test_circas_labels_are_numbers_strict_and_relaxed(shared_data):
    records = judgements(shared_data / "circa" / "scenario0.tsv", "circa")
    # Row 7: Yes, Yes, Yes, Probably yes / sometimes yes, Yes.
    assert found(records, item="7", criterion="strict") == [1, 1, 1, 2, 1]
    assert found(records, item="7", criterion="relaxed") == [1, 1, 1, 1, 1]
    assert {one.system for one in records} == {""}
    assert set(found(records, criterion="strict")) == set(range(1, 9))
    assert set(found(records, criterion="relaxed")) == {1, 3, 4, 6, 8}


def test_circas_gold_standard_follows_from_the_labels(shared_data):
    # goldstandard2 is the relaxed label that at least 3 people give (facts.md, section 7).
    import csv

    from dialeval.data.importers.corpora.circa import LABELS

    path = shared_data / "circa" / "scenario1.tsv"
    votes = defaultdict(list)
    for one in judgements(path, "circa"):
        votes[one.item, one.criterion].append(one.value)
    with path.open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            for criterion, column in (("strict", "goldstandard1"), ("relaxed", "goldstandard2")):
                value, count = Counter(votes[row["id"], criterion]).most_common(1)[0]
                assert LABELS.get(row[column]) == (value if count >= 3 else None)


def test_contradiction_counts_become_three_votes(shared_data):
    folder = shared_data / "rgm-contradiction" / "contexts"
    records = judgements(folder / "indomain" / "contexts_indomain_test_opt-60B.jsonl", "rgm-contradiction")
    assert len(records) == 600
    assert {one.system for one in records} == {"opt-60B"}
    # One response stands in two contexts, once judged 0 of 3 and once 3 of 3.
    assert found(records, item="opt-60B:26518") == [0, 0, 0]
    assert found(records, item="opt-60B:26518#2") == [1, 1, 1]
    counts = defaultdict(float)
    for one in records:
        counts[one.item] += one.value
    assert Counter(counts.values()) == {0: 100, 2: 45, 3: 55}


class TestPredictiveEngagement:
    @pytest.fixture
    def folder(self, shared_data):
        return shared_data / "predictive-engagement"

    def test_people_and_metrics_stand_side_by_side(self, folder):
        records = judgements(folder / "Eng_Scores_queries_gen_gtruth_replies.csv", "predictive-engagement")
        assert Counter(one.criterion for one in records) == {
            "engagement": 1800,
            "Ruber_Unref_Score": 600,
            "CTX_Unref_Score": 600,
            "Eng_Score_MeanPooling": 600,
            "Eng_Score_MaxPooling": 600,
        }
        first = {"item": "engagement-1", "system": "generated"}
        assert found(records, criterion="engagement", **first)[:2] == [2, 1]
        assert found(records, rater="CTX_Unref_Score", **first) == [0.00055958633]
        assert Counter(one.rater for one in records)["#3"] == 600

    def test_both_tables_speak_of_the_same_ratings(self, folder):
        scores = judgements(folder / "Eng_Scores_queries_gen_gtruth_replies.csv", "predictive-engagement")
        annotated = judgements(folder / "DailyDialog_groungtruth_annotated.csv", "predictive-engagement")
        assert (len(annotated), len({one.rater for one in annotated})) == (900, 24)
        ours, theirs = defaultdict(list), defaultdict(list)
        for one in scores:
            if one.criterion == "engagement" and one.system == "ground_truth":
                ours[one.item].append(one.value)
        for one in annotated:
            theirs[one.item].append(one.value)
        assert {item: sorted(values) for item, values in ours.items()} == {
            item: sorted(values) for item, values in theirs.items()
        }

    def test_pairs_can_be_read_to_be_scored(self, folder):
        path = folder / "Eng_Scores_queries_gen_gtruth_replies.csv"
        examples = list(read(path, "example", format="predictive-engagement"))
        assert Counter(one.system for one in examples) == {"generated": 300, "ground_truth": 300}
        assert (examples[0].context[0].text, examples[0].response.text) == (
            "how long will it take us to drive to London ?",
            "Not really .",
        )
        assert examples[300].context == examples[0].context


def test_unieval_scores_stand_beside_peoples(shared_data):
    records = judgements(shared_data / "unieval" / "sfres_result.json", "unieval")
    assert len(records) == 1181 * 6
    assert found(records, item="unieval-1", rater="mean", criterion="overall") == [4.0]
    rater = "unieval(quality='overall')"
    assert found(records, item="unieval-1", rater=rater, criterion="unieval") == [0.8799117272946382]


def test_unievals_topical_chat_has_the_items_of_usr(shared_data):
    path = shared_data / "usr-topicalchat" / "topical_chat_result.json"
    both = judgements(path, "unieval")
    people = [one for one in both if one.rater == "mean"]
    assert people == judgements(path, "usr")
    assert len(both) == 2 * len(people)


def test_median_ratings_and_metrics_of_bagel_and_sfres(shared_data):
    path = shared_data / "emnlp17-nlg" / "emnlp_data_medians.bagel_sfrest.csv"
    records = judgements(path, "emnlp17")
    assert len(records) == 1585 * (3 + 23)
    units = {(one.item, one.system) for one in records}
    assert Counter((item.split("-")[0], system) for item, system in units) == {
        ("bagel", "Dusek"): 202,
        ("bagel", "LOLS"): 202,
        ("sfres", "WEN"): 600,
        ("sfres", "LOLS"): 581,
    }
    first = {"item": "bagel-1", "system": "Dusek"}
    assert found(records, rater="median", **first) == [6, 4, 5]
    assert found(records, rater="METEOR", **first) == [0.19705973]


@pytest.mark.parametrize(
    ("name", "kind", "qualities"),
    [
        ("turn_level_model_score_list.json", "example", 8),
        ("dialog_level_model_scores.json", "dialogue", 10),
    ],
)
def test_feds_own_scores_go_with_its_items(shared_data, name, kind, qualities):
    folder = shared_data / "fed"
    records = judgements(folder / name, "fed-scores")
    subjects = list(read(folder / "fed_data.json", kind, format="fed"))
    assert len(records) == len(subjects) * qualities
    assert {(one.item, one.system) for one in records} == {(one.item, one.system) for one in subjects}
    assert {one.criterion for one in records} == {"fed"}


def test_a_list_of_scores_goes_with_responses_in_order(shared_data):
    examples = [
        one for one in read(shared_data / "grade", "example", format="grade") if one.system == "bert_ranker"
    ]
    path = shared_data / "ruber-scores" / "convai2_grade_bert_ranker.json"
    records = list(read_scores(path, examples, rater="ruber"))
    assert len(records) == 150
    assert records[0].value == 0.8636930103632483
    assert [one.item for one in records] == [one.item for one in examples]
    assert (records[0].rater, records[0].criterion) == ("ruber", "ruber")
