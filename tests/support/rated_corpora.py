"""Real ratings with published scores, joined, and a maker of small made-up ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from dialeval.core import Floats
from dialeval.data import Judgement, read
from dialeval.data.importers.corpora.score_list import read_scores
from dialeval.meta.judgements import join
from dialeval.ratings.joined import Joined
from dialeval.ratings.table import Ratings, read_judgements

Make = Callable[..., Joined]


@pytest.fixture(scope="session")
def make_joined() -> Make:
    """Ratings of shape (raters, systems, items) and measures of shape (systems, items), joined; NaN is no judgement."""

    def make(
        ratings: Sequence[object] | Floats,
        measures: Mapping[str, object],
        *,
        systems: Sequence[str] | None = None,
    ) -> Joined:
        cube = np.asarray(ratings, dtype=np.float64)
        names = systems or [f"s{at}" for at in range(cube.shape[1])]
        rows = [
            Judgement(
                f"i{item}", names[system], f"person{rater}", "overall", float(cube[rater, system, item])
            )
            for rater, system, item in np.argwhere(~np.isnan(cube)).tolist()
        ]
        for name, values in measures.items():
            grid = np.asarray(values, dtype=np.float64)
            rows += [
                Judgement(f"i{item}", names[system], name, name, float(grid[system, item]))
                for system, item in np.argwhere(~np.isnan(grid)).tolist()
            ]
        return join(Ratings.of(rows), "overall", measures=list(measures))

    return make


@pytest.fixture(scope="session")
def usr(shared_data: Path) -> Joined:
    """USR-TopicalChat: 5 systems x 60 items, means of three people, RUBER and UniEval's five qualities."""
    path = shared_data / "usr-topicalchat" / "topical_chat_result.json"
    examples = list(read(path, "example", format="usr"))
    people = [
        one
        for one in read(path, "judgement", format="usr")
        if one.criterion == "overall" and one.system != "Original Ground Truth"
    ]
    ruber = list(read_scores(shared_data / "ruber-scores" / "topicalchat_usr.json", examples, rater="ruber"))
    rows = [row for row in json.loads(path.read_text()) if row["system_id"] != "Original Ground Truth"]
    unieval = [
        Judgement(
            example.item, example.system, f"unieval_{quality}", "unieval", row["predict_scores"][quality]
        )
        for example, row in zip(examples, rows, strict=True)
        for quality in ("naturalness", "coherence", "engagingness", "groundedness", "understandability")
    ]
    return join(Ratings.of([*people, *ruber, *unieval]), "overall", people=["mean"])


@pytest.fixture(scope="session")
def convai2(shared_data: Path) -> Joined:
    """GRADE-ConvAI2: 4 systems x 150 items, 8 to 11 raters, RUBER and the lengths of responses."""
    ratings = read_judgements([shared_data / "grade"], format="grade")
    ratings = ratings.by(items=[item for item in ratings.items if item.startswith("convai2")])
    examples = [
        one
        for one in read(shared_data / "grade", "example", format="grade")
        if one.item.startswith("convai2")
    ]
    scores = [Judgement(e.item, e.system, "words", "words", len(e.response.text.split())) for e in examples]
    for system in dict.fromkeys(one.system for one in examples):
        path = shared_data / "ruber-scores" / f"convai2_grade_{system}.json"
        scores += read_scores(path, [one for one in examples if one.system == system], rater="ruber")
    return join(Ratings.merge([ratings, Ratings.of(scores)]), "coherence")


@pytest.fixture(scope="session")
def fed_turns(shared_data: Path) -> Joined:
    """FED: 375 responses, each item one system's, five raters, and FED's own eight scores."""
    data = shared_data / "fed"
    ratings = read_judgements([data / "fed_data.json"], format="fed")
    scores = read_judgements([data / "turn_level_model_score_list.json"], format="fed-scores")
    both = set(ratings.items) & set(scores.items)
    return join(Ratings.merge([ratings.by(items=both), scores]), "Overall")
