"""Published correlations of word-overlap metrics with human ratings, recomputed from the raw files.

Expected values: the table of DialEvalMetrics (Yeh et al., 2021), BLEU-4, METEOR and ROUGE-L rows, three decimals. The
metrics are nlg-eval's with one human reference; turn level pools all systems, system level takes each system's mean.
The way is a user's: read, evaluate, join, correlate.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dialeval.catalogue import build
from dialeval.core import Resampling
from dialeval.data import read
from dialeval.errors import ResourceUnavailable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.meta.correlation import correlate
from dialeval.meta.judgements import join
from dialeval.ratings.table import Ratings

USR = ("usr", "usr-topicalchat/topical_chat_result.json", "usr", "overall")
CONVAI2 = ("grade", "grade", "convai2", "coherence")
DAILYDIALOG = ("grade", "grade", "dailydialog", "coherence")


@pytest.mark.parametrize(
    ("corpus", "size", "metric", "expected"),
    [
        (USR, 300, "bleu(order=4)", [0.216, 0.296, 0.874, 0.900]),
        (USR, 300, "meteor", [0.336, 0.391, 0.943, 0.900]),
        (USR, 300, "rouge_l", [0.275, 0.287, 0.814, 0.900]),
        (CONVAI2, 600, "bleu(order=4)", [0.003, 0.128, 0.034, 0.000]),
        (CONVAI2, 600, "meteor", [0.145, 0.181, 0.781, 0.600]),
        (CONVAI2, 600, "rouge_l", [0.136, 0.140, 0.209, 0.000]),
        (DAILYDIALOG, 300, "bleu(order=4)", [0.075, 0.184, 1.000, 1.000]),
        (DAILYDIALOG, 300, "meteor", [0.096, 0.010, -1.000, -1.000]),
        (DAILYDIALOG, 300, "rouge_l", [0.154, 0.147, 1.000, 1.000]),
    ],
    ids=[
        "usr-bleu",
        "usr-meteor",
        "usr-rouge_l",
        "convai2-bleu",
        "convai2-meteor",
        "convai2-rouge_l",
        "dailydialog-bleu",
        "dailydialog-meteor",
        "dailydialog-rouge_l",
    ],
)
def test_published_correlations_with_people_are_reproduced(
    shared_data: Path, corpus: tuple[str, str, str, str], size: int, metric: str, expected: list[float]
) -> None:
    format, path, prefix, criterion = corpus
    try:
        measure = build(metric)
    except ResourceUnavailable as absence:
        pytest.skip(str(absence))
    examples = [
        one for one in read(shared_data / path, "example", format=format) if one.item.startswith(prefix)
    ]
    people = [
        one for one in read(shared_data / path, "judgement", format=format) if one.item.startswith(prefix)
    ]
    scores = evaluate(measure, examples, Plan(resampling=Resampling(resamples=0))).judgements
    joined = join(Ratings.of([*people, *scores]), criterion)
    assert [joint.name for joint in joined.measures] == [measure.signature.name]
    turn, system = correlate(joined, levels=["item", "system"], resampling=Resampling(resamples=0))
    assert turn.estimate.n == size
    found = [turn.pearson, turn.spearman, system.pearson, system.spearman]
    assert [round(float(one), 3) + 0.0 for one in found] == expected
