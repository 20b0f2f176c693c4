"""Rating files that are wrong: the error names the file, the line and the field, and what to do."""

from __future__ import annotations

import pytest

from dialeval.data import Example, Judgement, Response, read
from dialeval.data.importers.corpora.score_list import read_scores
from dialeval.errors import BadInput


def message(name: str, format: str, kind: str = "judgement") -> str:
    with pytest.raises(BadInput) as caught:
        list(read(name, kind, format=format))
    return str(caught.value)


class TestWide:
    def test_each_rater_is_a_column(self, put):
        name = put(
            "r.csv",
            "item,system,criterion,ana,ben\nq1,old,fluency,4,5\nq1,new,fluency,2.5,\nq2,old,fluency,NA,1\n",
        )
        assert list(read(name, "judgement", format="ratings-wide")) == [
            Judgement("q1", "old", "ana", "fluency", 4.0),
            Judgement("q1", "old", "ben", "fluency", 5.0),
            Judgement("q1", "new", "ana", "fluency", 2.5),
            Judgement("q1", "new", "ben", "fluency", None),
            Judgement("q2", "old", "ana", "fluency", None, "NA"),
            Judgement("q2", "old", "ben", "fluency", 1.0),
        ]

    def test_system_and_criterion_may_be_left_out(self, put):
        name = put("r.tsv", "item\tana\nq1\t4\n")
        assert list(read(name, "judgement", format="ratings-wide")) == [
            Judgement("q1", "", "ana", "rating", 4.0)
        ]

    @pytest.mark.parametrize(
        ("text", "said"),
        {
            "a column of words": (
                "item,ana,note\nq1,4,5\nq2,3,too long\n",
                "r.csv, line 3, field 'note': found the text 'too long', expected a number, or an empty cell where the"
                " rater could not say. Fix the rating, or remove the column if it is not a rater's.",
            ),
            "an infinite rating": ("item,ana\nq1,inf\n", "r.csv, line 2, field 'ana': found the text 'inf'"),
            "no item": ("id,ana\nq1,4\n", "field 'item': found no such field (there are: 'id', 'ana')"),
            "an empty item": ("item,ana\n,4\n", "r.csv, line 2, field 'item': found an empty text"),
            "no raters": ("item,system\nq1,old\n", "r.csv, line 1: found no further column"),
            "a column without a name": (
                "item,,ana\nq1,4,5\n",
                "r.csv, line 1: found a column without a name",
            ),
            "another name for system": (
                "item,model,ana\nq1,old,4\n",
                "r.csv, line 1, field 'model': found the column 'model', expected 'system'. "
                "Rename 'model' to 'system'.",
            ),
            "a long table": (
                "item,system,rater,criterion,value\nq1,old,ana,fluency,4\n",
                "Leave out '--from ratings-wide': the file has one judgement a row.",
            ),
            "a repeated row": (
                "item,ana\nq1,4\nq2,3\nq1,4\n",
                "r.csv, line 4, field 'item': found 'q1' a second time for 'rating' (first in line 2)",
            ),
            "an empty file": ("", "r.csv: found an empty file"),
            "only a header": ("item,ana\n", "r.csv: found no record in it"),
            "a rater twice": ("item,ana,ana\nq1,4,5\n", "r.csv, line 1: found the column 'ana' twice"),
        }.values(),
        ids=lambda value: None,
    )
    def test_what_is_wrong_is_said_with_its_place(self, put, text, said):
        assert said in message(put("r.csv", text), "ratings-wide")


@pytest.mark.parametrize(
    ("format", "text", "said"),
    [
        (
            "eval-via-selection",
            "[[5],[1],[1]]\n",
            "x, line 1: found a list, expected a list of four lists of scores",
        ),
        ("eval-via-selection", "[[5],[1],[1],3]\n", "x, line 1, field '[3]': found the number 3"),
        ("eval-via-selection", "[[5],[1],[1],[null]]\n", "x, line 1, field '[3][0]': found null"),
        ("eval-via-selection", "[[5],[1]\n", "x, line 1: found JSON that breaks off"),
        (
            "circa",
            "id\tjudgements\n1\tYes#Yess\n",
            "x, line 2, field 'judgements[1]': found the label 'Yess', expected one of Circa's eight labels."
            " Did you mean 'Yes'?",
        ),
        ("circa", "id\tanswer\n1\tYes\n", "x, line 2, field 'judgements': found no such field"),
        (
            "rgm-contradiction",
            '{"rgm_name": "a", "utterances": ["[[a:1]]"], "contradictory_label_count": 4}\n',
            "x, line 1, field 'contradictory_label_count': found the number 4, expected a whole number from 0 to 3",
        ),
        (
            "rgm-contradiction",
            '{"rgm_name": "a", "utterances": [], "contradictory_label_count": 2}\n',
            "x, line 1, field 'utterances': found a list",
        ),
        ("rgm-contradiction", '{"rgm_name": "a", "contradictory_label_count": 2}\n', "field 'utterances'"),
        (
            "rgm-contradiction",
            '{"rgm_name": "a", "utterances": ["b"]}\n',
            "field 'contradictory_label_count'",
        ),
        ("rgm-contradiction", "3\n", "x, line 1: found the number 3, expected an object"),
        (
            "predictive-engagement",
            "query,response,human_score\na,b,good\n",
            "x, line 2, field 'human_score': found the text 'good', expected a number",
        ),
        (
            "predictive-engagement",
            "query,response,human_score,Ruber_Unref_Score\na,b,3,\n",
            "x, line 2, field 'Ruber_Unref_Score': found the text '', expected a number",
        ),
        ("predictive-engagement", "query,response\na\n", "x, line 2: found 1 cells, expected 2"),
        ("predictive-engagement", 'query,response\n"a"b,c\n', "x, line 2: found a row that cannot be split"),
        ("unieval", '{"doc_id": 1, "scores": {}}\n', "x, line 1, field 'predict_scores'"),
        ("unieval", '{"doc_id": 1, "scores": 3}\n', "x, line 1, field 'scores': found the number 3"),
        ("unieval", "[3]", "found the number 3 in element 1 of the array, expected an object"),
        (
            "emnlp17",
            "dataset,system,mr,informativeness\nBAGEL,a,m,6\n",
            "x, line 2, field 'naturalness': found no such field",
        ),
        ("fed-scores", "[1, 2]", "x: found a list, expected an object of lists of numbers"),
        ("fed-scores", '{"Fluent": [1]}', "fed_data.json: found no such file"),
    ],
)
def test_the_place_and_the_fault_are_named(put, format, text, said):
    assert said in message(put("x", text), format)


FED = '{"context": "User: Hi.", "response": "System: Hello.", "system": "s", "annotations": {}}\n'


def test_scores_must_be_as_many_as_what_they_score(put):
    put("fed_data.json", FED)
    said = message(put("scores.json", '{"Fluent": [1.0, 2.0]}'), "fed-scores")
    assert said.startswith("scores.json, field 'Fluent': found 2 scores, expected 1, one for each response.")


def test_a_list_of_scores_must_be_one(put):
    examples = [Example("1", "s", (), Response("Hi."))]
    with pytest.raises(BadInput, match="found an object, expected a list of numbers"):
        list(read_scores(put("x.json", "{}"), examples, rater="ruber"))
    with pytest.raises(BadInput, match="found 2 scores, expected 1"):
        list(read_scores(put("x.json", "[1, 2]"), examples, rater="ruber"))
    with pytest.raises(BadInput, match=r"field '\[0\]': found null"):
        list(read_scores(put("x.json", "[null]"), examples, rater="ruber"))
    with pytest.raises(BadInput, match="which is not UTF-8"):
        list(read_scores(put("x.json", b"[\xff]"), examples, rater="ruber"))


def test_bad_rows_can_be_set_aside(put):
    bad = []
    name = put("r.csv", "item,ana\nq1,4\nq2,?\nq3,2\n")
    records = list(read(name, "judgement", format="ratings-wide", on_bad=bad.append))
    assert [one.item for one in records] == ["q1", "q3"]
    assert [(line.error.line, line.raw) for line in bad] == [(3, "q2,?")]
