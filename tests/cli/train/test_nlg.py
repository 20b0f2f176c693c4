"""``dialeval train nlg`` and ``dialeval nlg generate`` as a user meets them."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

from support.small_nlg import made_items, write_rnnlg


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_rnnlg(tmp_path_factory.mktemp("corpus") / "made")


def test_training_generating_and_scoring(dialeval, corpus):
    options = ("--epochs", "30", "--hidden", "24", "--learning-rate", "0.03")
    done = dialeval(
        "train", "nlg", f"rnnlg:{corpus}", "-o", "model", "--model", "d-sclstm", *options, "--json"
    )
    assert done.code == 0, done.err
    facts = json.loads(done.out)
    assert (facts["sentences"], facts["held_out"], facts["incomplete"]) == (38, 38, 0)
    assert "38 sentences to learn from, 38 held out; 0 do not hold every value" in done.err
    made = dialeval("nlg", "generate", "model", f"rnnlg:{corpus}", "-o", "out.jsonl", "--n", "3", "--json")
    assert made.code == 0, made.err
    facts = json.loads(made.out)
    assert (facts["acts"], facts["slots"]) == (38, 73)
    assert facts["sentences"] == 3 * 38
    with open("out.jsonl", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert [row["references"] for row in rows] == [list(item.references) for item in made_items()]
    assert all(len(row["responses"]) == 3 and row["response"] == row["responses"][0]["text"] for row in rows)
    scored = dialeval("nlg", "score", "out.jsonl", "-m", "bleu", "--json", "--trials", 0)
    assert scored.code == 0, scored.err
    assert {row["metric"] for row in json.loads(scored.out)["results"]} >= {"slot_error_rate", "bleu"}


def test_sentences_are_drawn_or_searched_as_asked(dialeval, corpus):
    train = (
        "train",
        "nlg",
        f"rnnlg:{corpus}",
        "-o",
        "model",
        "--model",
        "lstm",
        "--hidden",
        8,
        "--epochs",
        2,
    )
    assert dialeval(*train, "--device", "cpu").code == 0
    generate = ("nlg", "generate", "model", f"rnnlg:{corpus}", "--limit", 4, "--json")
    signatures = set()
    for decoding in ("nucleus(top_p=0.9)", "beam(length_penalty=0)", "greedy"):
        made = dialeval(*generate, "-o", "out.jsonl", "--decoding", decoding, "--n", 1, "--device", "cpu")
        assert made.code == 0, made.err
        signatures.add(json.loads(made.out)["signature"])
    assert len(signatures) == 3
    for option, value, said in (
        ("--decoding", "beam(top_p=0.5)", "does not use"),
        ("--decoding", "best", "nucleus"),
        ("--device", "quantum", "no device 'quantum'"),
    ):
        wrong = dialeval(*generate, "-o", "x.jsonl", option, value)
        assert wrong.code in (1, 2)
        assert said in " ".join(wrong.err.split())


def test_lines_of_acts_become_a_random_generator(dialeval, tmp_path):
    rows = [
        {"act": {"act": "inform", "slots": {"name": name, "food": "thai"}}, "references": [f"{name} is thai"]}
        for name in ("ax", "bix", "cux", "dox", "ex", "fox", "gux", "hix", "ix", "jox", "kux", "lix")
    ]
    (tmp_path / "acts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = dialeval("train", "nlg", "acts.jsonl", "-o", "model", "--model", "random")
    assert done.code == 0, done.err
    assert "Use it: dialeval nlg generate model ACTS" in done.out
    made = dialeval("nlg", "generate", "model", "acts.jsonl", "-o", "out.jsonl", "--limit", 2)
    assert "2 sentences for 2 acts in out.jsonl" in made.out
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[1])["response"] == "bix is thai"


def test_a_folder_without_sentences_is_explained(dialeval, tmp_path):
    (tmp_path / "empty").mkdir()
    done = dialeval("train", "nlg", "rnnlg:empty", "-o", "model")
    assert done.code == 1
    assert "train.json" in done.err


def test_another_folder_is_not_a_generator(dialeval, tmp_path):
    (tmp_path / "acts.jsonl").write_text('{"act": "goodbye()"}\n', encoding="utf-8")
    done = dialeval("nlg", "generate", tmp_path, "acts.jsonl", "-o", "out.jsonl")
    assert done.code == 1
    assert "lacks nlg.json" in done.err
    assert not (tmp_path / "out.jsonl").exists()


def test_an_nlg_system_answers_the_acts_of_a_study(dialeval, corpus, tmp_path):
    done = dialeval("train", "nlg", f"rnnlg:{corpus}", "-o", "model", "--model", "random")
    assert done.code == 0, done.err
    rows = [
        {"id": item.item, "act": made["act"], "references": list(item.references)} for item, made in _acts()
    ]
    (tmp_path / "acts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "study.yaml").write_text(
        "name: acts\ndata: acts.jsonl\nsystems:\n  - {name: drawn, kind: nlg, path: model}\n"
        "  - {name: parrot, kind: echo}\nmeasures: [rouge_l, slot_error_rate]\n",
        encoding="utf-8",
    )
    ran = dialeval("run", "study.yaml", "-o", "run", "--json")
    assert ran.code == 0, ran.err
    with open("run/examples.jsonl", encoding="utf-8") as file:
        said = {(row["system"], row["id"]): row["response"] for row in map(json.loads, file)}
    plain = [item for item, _ in _acts() if "kidsallowed" not in str(item.meaning)]
    assert plain
    assert all(said["drawn", item.item] == item.references[0] for item in plain)


def _acts():
    from dialeval.nlg.acts.notations import print_json

    return [(item, {"act": print_json(item.meaning)}) for item in made_items()]
