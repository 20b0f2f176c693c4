"""``dialeval train`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")


def write_dialogues(path: Path, count: int = 6) -> Path:
    rows = [
        {
            "id": str(at),
            "messages": [
                {"role": "user", "content": f"do you like number {at} ?"},
                {"role": "assistant", "content": f"yes , {at} is fine"},
                {"role": "user", "content": "good to hear"},
            ],
        }
        for at in range(count)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_training_then_scoring(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    done = dialeval(
        "train", "skip-thought", corpus, "-o", "model", "--scale", "tiny", "--epochs", 2, "--json"
    )
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["turns"] == 18
    assert len(told["losses"]) == 2
    assert "18 turns with neighbours\nTraining from the beginning\n" in done.err
    again = dialeval("train", "skip-thought", corpus, "-o", "model", "--scale", "tiny", "--epochs", 2)
    assert f"epoch 2: {told['losses'][1]:.4f} nats per word" in again.out
    assert "Resuming from update 2 (epoch 2.00)\n" in again.err
    assert "skip_thought(model='model')" in again.out
    (tmp_path / "hyp.txt").write_text("yes , 3 is fine\n")
    scored = dialeval(
        "score", "--hyp", "hyp.txt", "--ref", "hyp.txt", "-m", "skip_thought(model='model')", "--json"
    )
    assert json.loads(scored.out)["results"][0]["score"] == pytest.approx(1)


def test_what_cannot_be_learnt_from_is_refused(dialeval, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text('{"id": "1", "context": [], "candidates": [{"text": "a", "correct": true}]}\n')
    done = dialeval("train", "skip-thought", questions, "-o", "model")
    assert done.code == 1
    assert "holds question records; expected dialogues, or prompts with references" in done.err


def test_a_folder_with_other_things_is_never_written_into(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    done = dialeval("train", "skip-thought", corpus, "-o", "mine")
    assert done.code == 1
    assert "found a folder with other files" in done.err


QUICK = ("--scale", "tiny", "--epochs", 1, "--held-out", 0.3)


def test_training_a_generator_and_going_on_with_it(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    done = dialeval("train", "generator", corpus, "-o", "bot", "--architecture", "convs2s", *QUICK, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["responses"], told["held_out"]) == (8, 4)
    assert told["ending"] == "epochs"
    assert told["perplexity"] > 1
    assert told["looks"][-1]["epoch"] == 1
    assert "8 responses in context, 4 held out" in done.err
    again = dialeval("train", "generator", corpus, "-o", "bot", "--architecture", "convs2s", *QUICK)
    assert f"all epochs done; held-out perplexity {told['perplexity']:.2f}" in again.out
    assert "Try it: dialeval chat bot" in again.out
    other = dialeval("train", "generator", corpus, "-o", "bot", "--architecture", "gru", *QUICK)
    assert other.code == 1
    assert "architecture was 'convs2s' and is 'gru'" in other.err
    more = dialeval("train", "generator", corpus, "-o", "more", "--start-from", "bot", "--epochs", 1)
    assert more.code == 0, more.err


def test_a_generator_is_not_overwritten_by_what_starts_from_it(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    done = dialeval(
        "train", "generator", corpus, "-o", tmp_path / "bot", "--start-from", "bot", "--no-resume"
    )
    assert done.code == 2
    assert "would be lost" in done.err


def test_unlikelihood_from_questions(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    dialeval("train", "generator", corpus, "-o", "bot", *QUICK)
    rows = [
        {
            "id": str(at),
            "context": [{"role": "user", "content": f"do you like number {at} ?"}],
            "candidates": [{"text": "yes", "correct": True}, {"text": "no", "correct": False}],
        }
        for at in range(6)
    ]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = dialeval(
        "train", "generator", "--unlikelihood", "q.jsonl", "--alpha", 2, "--start-from", "bot", "-o", "kind",
        "--epochs", 2, "--held-out", 0.2, "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["responses"] == 5
    assert 0 < told["looks"][1]["held_out_unlikelihood"] < 1
    assert told["looks"][1]["held_out_nats"] < told["looks"][0]["held_out_nats"]
    wrong = dialeval("train", "generator", "--unlikelihood", corpus, "-o", "x", "--start-from", "bot")
    assert wrong.code == 1
    nothing = dialeval("train", "generator", "-o", "x")
    assert nothing.code == 2
    assert "give a CORPUS" in nothing.err


def test_a_roster_goes_into_folders_and_a_study(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    (tmp_path / "two.yaml").write_text(
        "source: here\nsystems:\n"
        "  - {name: small, architecture: gru, layers: 1, embedding: 64, hidden: 64}\n"
        "  - {name: more, start_from: small, corpus: other}\n"
        "  - {name: far, huggingface: someone/large}\n"
    )
    done = dialeval("train", "generator", corpus, "--roster", "two.yaml", "-o", "all", *QUICK)
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].startswith("small                        perplexity ")
    assert "needs the corpus 'other'" in done.out
    assert "someone/large" in (tmp_path / "all" / "systems.yaml").read_text()
    extra = dialeval(
        "train",
        "generator",
        corpus,
        "--roster",
        "two.yaml",
        "-o",
        "all",
        "--extra",
        f"other={corpus}",
        *QUICK,
        "--json",
    )
    assert [row["reason"] is None for row in json.loads(extra.out)["systems"]] == [True, True, False]
    assert (tmp_path / "all" / "more" / "generator.json").exists()
    both = dialeval("train", "generator", corpus, "--roster", "two.yaml", "-o", "all", "--start-from", "x")
    assert both.code == 2


def test_held_out_is_a_share_or_a_file(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    other = write_dialogues(tmp_path / "other.jsonl", 2)
    done = dialeval("train", "generator", corpus, "-o", "bot", "--epochs", 1, "--held-out", other, "--json")
    assert (json.loads(done.out)["responses"], json.loads(done.out)["held_out"]) == (12, 4)
    none = dialeval("train", "generator", corpus, "-o", "none", "--epochs", 1, "--held-out", 0, "--json")
    assert json.loads(none.out)["perplexity"] is None
    wrong = dialeval("train", "generator", corpus, "-o", "bad", "--held-out", 1.5)
    assert wrong.code == 2


def test_interrupted_training_resumes_from_its_checkpoint():
    from dialeval.cli.interruption import interruption
    from dialeval.cli.train.settings import Training
    from dialeval.training.loop import Interrupted

    for stop, kept in (
        (KeyboardInterrupt(), "The same command resumes from the last checkpoint, if there is one."),
        (Interrupted(7), "Update 7 is saved: the same command resumes from there."),
    ):
        with pytest.raises(KeyboardInterrupt), Training().session("bot", 10):
            raise stop
        assert interruption() == f"Interrupted. {kept}"


@pytest.mark.parametrize(
    ("shortfall", "words"), [("baseline", "frequencies"), ("first", "not improved"), (None, None)]
)
def test_a_model_that_has_learnt_nothing_is_told_of(capsys, shortfall, words):
    from dialeval.cli.train.settings import warn_of_shortfall

    warn_of_shortfall(shortfall)
    err = capsys.readouterr().err
    assert words in err and "learnt nothing" in err if words else not err


def test_one_dialogue_is_too_few_for_a_scorer(dialeval, tmp_path):
    done = dialeval(
        "train", "selfeval", write_dialogues(tmp_path / "one.jsonl", 1), "-o", tmp_path / "scorer"
    )
    assert done.code == 1
    assert "one.jsonl holds 1 dialogue; expected at least 2" in done.err


@pytest.mark.parametrize("scorer", [("selfeval",), ("rival", "dynaeval")])
def test_dialogues_that_are_too_short_for_a_scorer_are_an_error(dialeval, tmp_path, scorer):
    talks = write_dialogues(tmp_path / "short.jsonl", 20)
    done = dialeval("train", *scorer, talks, "-o", tmp_path / "scorer")
    assert done.code == 1
    assert "short.jsonl: found 20 dialogues, none of them with four turns or more; expected some" in done.err
    assert not (tmp_path / "scorer").exists()


def questions(path):
    rows = [
        {
            "id": str(at),
            "context": [{"role": "user", "content": f"do you like number {at} ?"}],
            "candidates": [{"text": "yes", "correct": True}, {"text": "no", "correct": False}],
        }
        for at in range(6)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_grid_keeps_what_is_best_on_held_out_data(dialeval, tmp_path):
    dialeval("train", "generator", write_dialogues(tmp_path / "talk.jsonl"), "-o", "bot", *QUICK)
    given = (
        *("train", "generator", "--unlikelihood", questions(tmp_path / "q.jsonl"), "--start-from", "bot"),
        *("--alpha", 2, "--epochs", 3, "--held-out", 0.2, "-o", "kind"),
        *("--learning-rate", "7e-8", "--learning-rate", "5e-3", "--warm-up", 1, "--warm-up", 50),
    )
    done = dialeval(*given, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    points = {(each["learning_rate"], each["warm_up"]): each for each in told["grid"]}
    assert set(points) == {(7e-8, 1), (7e-8, 50), (5e-3, 1), (5e-3, 50)}
    (kept,) = [key for key, each in points.items() if each["kept"]]
    assert kept == (5e-3, 1)  # three updates of 7e-8 or of a fiftieth of the rate move hardly anything
    best = points[kept]
    assert best["loss"] == min(each["loss"] for each in points.values())
    held = best["held_out"]
    assert best["loss"] == pytest.approx(held["nats"] + 2 * held["unlikelihood"])
    assert json.loads((tmp_path / "kind/grid.json").read_text())["points"] == told["grid"]
    one, other = (
        tmp_path / "kind/model.safetensors",
        tmp_path / "kind/grid/rate-0.005-warm-up-1/model.safetensors",
    )
    assert one.read_bytes() == other.read_bytes()
    again = dialeval(*given)
    assert again.code == 0, again.err
    assert "learning rate 0.005, warm-up 1: held-out loss" in again.out
    (line,) = [line for line in again.out.splitlines() if line.endswith("<- kept")]
    assert line.startswith("learning rate 0.005, warm-up 1:")
    assert "Model: kind" in again.out


def test_a_warm_up_is_a_setting_of_one_training_too(dialeval, tmp_path):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    done = dialeval(
        "train", "generator", corpus, "-o", "bot", "--epochs", 1, "--warm-up", 7, "--learning-rate", 0.002
    )
    assert done.code == 0, done.err
    schedule = json.loads((tmp_path / "bot/generator.json").read_text())["train"]["schedule"]
    assert (schedule["warm_up"], schedule["learning_rate"]) == (7, 0.002)
    assert not (tmp_path / "bot/grid").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--held-out", 0), "a grid is judged on held-out data"),
        (("--roster", "paper"), "--roster takes one learning rate"),
        (("--warm-up", -1), "expected 0 or more updates"),
        (("--learning-rate", 0), "expected a number above 0"),
    ],
)
def test_grids_that_cannot_be_are_refused(dialeval, tmp_path, options, message):
    corpus = write_dialogues(tmp_path / "talk.jsonl")
    rates = ("--learning-rate", 0.001, "--learning-rate", 0.002)
    done = dialeval("train", "generator", corpus, "-o", "bot", *rates, *options)
    assert done.code == 2
    assert message in done.err
