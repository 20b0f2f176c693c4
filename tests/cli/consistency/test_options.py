"""Options of ``probe``, ``collect`` and ``analyse`` that the thesis's tables need."""

from __future__ import annotations

import json

import pytest
from scipy.stats import ttest_ind

from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.learning.crossvalidation import balanced, with_random_earlier
from dialeval.consistency.pairs.reading import read_all
from dialeval.consistency.pairs.types import Pair, divide
from support.encoders import NLI, make_classifier


def put(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(dialeval, line):
    done = dialeval(*line.split())
    assert done.code == 0, (line, done.err)
    return done


@pytest.fixture
def tiny(tmp_path):
    """A tiny language model of one's own."""
    pytest.importorskip("torch")
    from support import tiny_models

    words = tiny_models.tokenizer()
    return tiny_models.save(tmp_path / "tiny", tiny_models.llama(words), words)


def test_the_best_and_the_random_questions_are_taken_at_each_distance(dialeval, tiny, tmp_path):
    rows = []
    for n in range(5):
        said = ["Hi!", f"I have {n} dogs.", "What are they called?", "Rex.", "How old is Rex?"]
        messages = [{"role": "AB"[place % 2], "content": text} for place, text in enumerate(said)]
        rows.append({"id": f"d{n}", "messages": messages})
    put(tmp_path / "talks.jsonl", rows)
    probe = "consistency probe talks.jsonl --system tiny --distance 1 --distance 3"
    run(dialeval, f"{probe} -o all.jsonl")
    ranked = read(tmp_path / "all.jsonl")
    run(dialeval, f"{probe} -o probes.jsonl --top 2 --random 3 --per-distance --seed 4")
    found = read(tmp_path / "probes.jsonl")
    for distance in (1, 3):
        own = [row for row in ranked if row["distance"] == distance]
        taken = [row for row in found if row["distance"] == distance]
        assert [row["id"] for row in taken if row["draw"] == "top"] == [row["id"] for row in own[:2]]
        drawn = [row["id"] for row in taken if row["draw"] == "random"]
        assert len(set(drawn)) == 3
        assert set(drawn) <= {row["id"] for row in own}
    assert len(found) == 10
    run(dialeval, f"{probe} -o mixed.jsonl --top 2 --random 3 --seed 4")
    mixed = read(tmp_path / "mixed.jsonl")
    assert [row["id"] for row in mixed if row["draw"] == "top"] == [row["id"] for row in ranked[:2]]
    assert len(mixed) == 5


CONTEXT = [
    {"role": "user", "content": "Do you smoke?"},
    {"role": "assistant", "content": "I have never smoked a cigarette."},
    {"role": "user", "content": "How many cigarettes did you smoke today?"},
]
CANDIDATES = {"None at all.": -9.0, "Well, you know.": -2.5, "I smoke ten cigarettes a day.": -7.0}


def asked(tmp_path, *, logprobs=True):
    question = {"question": CONTEXT[-1]["content"], "referent": 1, "distance": 1, "kind": "follow-up"}
    put(tmp_path / "probes.jsonl", [{"id": "p", "context": CONTEXT, **question}])
    responses = [{"text": text, **({"logprob": p} if logprobs else {})} for text, p in CANDIDATES.items()]
    put(tmp_path / "bot.jsonl", [{"id": "p", "system": "bot", "context": CONTEXT, "responses": responses}])


@pytest.mark.parametrize(
    ("keep", "kept"), [("probable", "Well, you know."), ("contradictory", "I smoke ten cigarettes a day.")]
)
def test_the_most_probable_or_the_most_contradictory_candidate_is_kept(
    dialeval, minilm, tmp_path, keep, kept
):
    asked(tmp_path)
    run(dialeval, f"consistency collect probes.jsonl --system bot.jsonl --n 3 --keep {keep} -o answers.jsonl")
    (row,) = read(tmp_path / "answers.jsonl")
    assert row["response"]["text"] == kept
    assert (row["keep"], row["candidates"]) == (keep, 3)
    if keep == "probable":
        assert row["chosen"] == -2.5


def test_the_most_probable_candidate_is_unknown_without_probabilities(dialeval, tmp_path):
    asked(tmp_path, logprobs=False)
    done = dialeval(
        *[
            "consistency",
            "collect",
            "probes.jsonl",
            "--system",
            "bot.jsonl",
            "--n",
            "3",
            "--keep",
            "probable",
            "-o",
            "a.jsonl",
        ]
    )
    assert done.code == 1
    assert "does not say how probable its responses are" in done.err
    assert not (tmp_path / "a.jsonl").exists()


LABELLED = [
    ("I love my two dogs.", "How often do you walk them?", "I have no dogs.", 3),
    ("I never smoked.", "So how often do you smoke?", "Ten times a day, always.", 2),
    ("I live in Oslo.", "How often does it snow?", "It snows in winter.", 0),
    ("I am a nurse.", "So what do you do?", "I am a pilot, I fly every day.", 3),
    ("I like tea.", "Which tea?", "I hate tea.", 2),
    ("I like red.", "Why?", "It is warm.", 0),
    ("I play chess.", "With whom?", "With my son.", 1),
    ("I was born in May.", "So when is your birthday?", "In May.", 0),
]


@pytest.fixture
def labelled(tmp_path):
    """Answers with the votes of three people."""
    label = {0: "consistent", 1: "ambiguous", 2: "contradiction", 3: "contradiction"}
    rows = [
        {"id": f"p{place}", "system": "bot", "earlier": earlier, "between": between, "response": response}
        | {"label": label[votes], "votes": votes, "raters": 3}
        for place, (earlier, between, response, votes) in enumerate(LABELLED)
    ]
    put(tmp_path / "labelled.jsonl", rows)
    return rows


def test_features_of_ones_own_are_tested(dialeval, minilm, labelled):
    done = dialeval(
        *[
            "consistency",
            "analyse",
            "labelled.jsonl",
            "--feature",
            "how often",
            "--feature",
            "/^so /",
            "--json",
        ]
    )
    assert done.code == 0, done.err
    features = {each["feature"]: each for each in json.loads(done.out)["features"]}
    rates = [float(votes >= 2) for *_, votes in LABELLED]
    for name, has in (
        ('"how often"', lambda text: "how often" in text),
        ("/^so /", lambda text: text[:3] == "so "),
    ):
        having = [has(question.lower()) for _, question, _, _ in LABELLED]
        own = [rate for rate, mine in zip(rates, having, strict=True) if mine]
        others = [rate for rate, mine in zip(rates, having, strict=True) if not mine]
        assert features[name]["contexts"] == len(own) == 3
        assert features[name]["p"] == pytest.approx(ttest_ind(own, others, alternative="greater").pvalue)


@pytest.mark.parametrize("feature", ["", "/(/"])
def test_a_feature_that_is_none_is_refused(dialeval, minilm, labelled, feature):
    done = dialeval("consistency", "analyse", "labelled.jsonl", "--feature", feature)
    assert done.code == 1
    assert "feature" in done.err


def test_contradictions_that_another_detector_misses_are_counted_by_votes(
    dialeval, labelled, roberta, tmp_path
):
    other = make_classifier(roberta, tmp_path / "other", NLI)
    done = dialeval("consistency", "analyse", "labelled.jsonl", "--against", "other", "--json")
    assert done.code == 0, done.err
    compared = json.loads(done.out)["compared"]
    own = [row for row in labelled if row["label"] == "contradiction"]
    pairs = [Pair(row["earlier"], row["response"], row["between"]) for row in own]
    seen = {}
    for name, place in (("model", "shipped"), ("against", str(other))):
        detector = PairDetector(place)
        seen[name] = detector.probabilities(pairs) >= detector.calibration.threshold
    wanted = {"gained": (True, False), "both": (True, True), "lost": (False, True), "neither": (False, False)}
    for name, (ours, theirs) in wanted.items():
        votes = [
            row["votes"]
            for row, a, b in zip(own, seen["model"], seen["against"], strict=True)
            if (a, b) == (ours, theirs)
        ]
        assert compared[name] == [votes.count(2), votes.count(3)]
    assert sum(map(sum, (compared[name] for name in wanted))) == len(own) == 4
    assert seen["model"].any(), "else nothing is compared"
    assert seen["model"].tolist() != seen["against"].tolist()


def test_a_detector_beside_itself_gains_nothing_and_the_test_says_why(dialeval, minilm, labelled):
    done = dialeval("consistency", "analyse", "labelled.jsonl", "--against", "shipped")
    assert done.code == 0, done.err
    told = json.loads(
        dialeval("consistency", "analyse", "labelled.jsonl", "--against", "shipped", "--json").out
    )
    compared = told["compared"]
    assert (compared["gained"], compared["lost"], compared["p"]) == ([0, 0], [0, 0], None)
    assert compared["reason"] == "no contradiction of one kind"
    assert compared["reason"] in " ".join(done.out.split())


def test_misses_of_a_detector_that_finds_nothing_have_no_test_and_say_so(
    dialeval, minilm, labelled, tmp_path
):
    for row in labelled:
        row["response"] = row["response"] if row["votes"] < 2 else row["earlier"]
    put(tmp_path / "labelled.jsonl", labelled)
    told = json.loads(dialeval("consistency", "analyse", "labelled.jsonl", "--json").out)
    assert (told["misses"], told["misses_p"]) == ([[2, 0], [2, 0]], None)
    done = run(dialeval, "consistency analyse labelled.jsonl")
    assert "chi-square p — (the detector finds none of them)" in done.out


def test_pairs_that_cannot_calibrate_a_detector_are_refused_before_training(
    dialeval, minilm, labelled, tmp_path
):
    pytest.importorskip("torch")
    put(tmp_path / "one-sided.jsonl", [row | {"label": "contradiction"} for row in labelled])
    done = dialeval("train", "contradiction", "one-sided.jsonl", "-o", "det", "--validation", "0.5")
    assert done.code == 1
    assert "and 0 other pairs to calibrate the detector on" in done.err
    assert "--validation" in done.err
    assert not (tmp_path / "det").exists()


@pytest.mark.slow
def test_training_pairs_are_balanced_and_consistent_ones_stand_beside_a_random_earlier_turn(
    dialeval, minilm, tmp_path
):
    pytest.importorskip("torch")
    from dialeval.consistency.learning.training import digest_of

    rows = []
    for n in range(30):
        said = ["Hi!", f"I have {n} dogs.", "And?", f"I am {n + 20} years old.", "What else?"]
        context = [{"role": "AB"[place % 2], "content": text} for place, text in enumerate(said)]
        denies = n % 3 == 0
        about = {"label": "contradiction" if denies else "consistent", "votes": 3 * denies, "raters": 3}
        told = {
            "earlier": said[1],
            "between": said[-1],
            "response": f"I have {'no' * denies} dogs, {n} times.",
        }
        rows.append({"id": str(n), "system": "bot", "context": context, "referent": 1, **told, **about})
    put(tmp_path / "labelled.jsonl", rows)
    options = "--epochs 1 --rank 2 --validation 0.3 --random-earlier --balance --seed 5 --json"
    done = run(dialeval, f"train contradiction labelled.jsonl -o det {options}")
    parts = divide(read_all([tmp_path / "labelled.jsonl"]), validation=0.3)
    wanted = balanced(with_random_earlier(parts.train, seed=5), seed=5)
    assert json.loads(done.out)["train"] == len(wanted) < len(parts.train)
    facts = PairDetector(str(tmp_path / "det")).file.about.facts
    assert facts["digest"] == digest_of(wanted)
    others = {pair.pair.earlier for pair in wanted if not pair.contradicts}
    assert any("years old" in earlier for earlier in others)
    assert any("dogs" in earlier for earlier in others)
