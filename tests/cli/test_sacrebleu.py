"""Which BLEU a table shows, and on which scale."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sacrebleu

SAID = ["the train leaves at nine, I think", "no idea, sorry", "you could take the bus to the station"]
WANTED = ["the train leaves at nine thirty", "I have no idea, sorry", "take the bus to the old station"]
OURS = "bleu(order=4) is BLEU as nlg-eval computes it, from 0 to 1; sacrebleu's is another, from 0 to 100"
SACREBLEU = "bleu(order=4,profile='sacrebleu')"
THEIRS = f"{SACREBLEU} is BLEU as sacrebleu computes it, divided by 100"


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    (tmp_path / "said.txt").write_text("\n".join(SAID) + "\n")
    (tmp_path / "wanted.txt").write_text("\n".join(WANTED) + "\n")
    return ["--hyp", "said.txt", "--ref", "wanted.txt"]


def unwrapped(text: str) -> str:
    return " ".join(text.replace(" • ", " ").split())


def test_sacrebleus_bleu_is_printed_as_ours_and_as_its_own(dialeval, texts):
    done = dialeval("score", *texts, "--sacrebleu")
    assert done.code == 0
    theirs = sacrebleu.corpus_bleu(SAID, [WANTED]).score
    assert f"{theirs / 100:.4f}" in done.out
    assert f"as sacrebleu prints it, from 0 to 100: system {theirs:.2f} [" in unwrapped(done.out)
    assert THEIRS in unwrapped(done.out)
    assert "nlg-eval" not in done.out
    assert "rouge_l" not in done.out


def test_the_option_chooses_the_bleu_of_every_metric_that_is_one(dialeval, texts):
    named = ["-m", "bleu(order=2)", "-m", "rouge_l", "-m", "bleu"]
    done = dialeval("score", *texts, *named, "--sacrebleu", "--json")
    assert [row["metric"] for row in json.loads(done.out)["results"]] == [
        "bleu(order=2,profile='sacrebleu')",
        "rouge_l",
        "bleu(profile='sacrebleu')",
    ]
    added = dialeval("score", *texts, "-m", "rouge_l", "--sacrebleu", "--json")
    assert [row["metric"] for row in json.loads(added.out)["results"]] == ["rouge_l", SACREBLEU]
    everything = dialeval("score", *texts, "--all", "--sacrebleu", "--json")
    found = [row["metric"] for row in json.loads(everything.out)["results"]]
    bleus = [name for name in found if name.startswith("bleu")]
    assert len(bleus) == len(set(bleus)) == 4
    assert all("sacrebleu" in name for name in bleus)


def test_gates_and_margins_may_name_it_as_the_metric_was_named(dialeval, texts):
    named = ["-m", "bleu(order=2)", "--sacrebleu"]
    assert dialeval("score", *texts, *named, "--fail-under", "point(bleu(order=2))=0.3").code == 0
    missed = dialeval("score", *texts, *named, "--fail-under", "bleu(order=2)=0.99")
    assert missed.code == 100
    assert "bleu(order=2,profile='sacrebleu')" in missed.err


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_a_bleu_of_another_tool_beside_the_option_is_a_usage_error(dialeval, texts, verb):
    files = texts if verb == "score" else ["a.jsonl", "b.jsonl"]
    refused = dialeval(verb, *files, "-m", "bleu(profile='nltk')", "--sacrebleu")
    assert refused.code == 2
    assert "cannot be combined with a BLEU of another tool" in unwrapped(refused.err)


def test_two_bleus_in_one_table_say_whose_they_are(dialeval, texts):
    out = unwrapped(dialeval("score", *texts, "-m", "bleu(order=4)", "-m", SACREBLEU).out)
    assert OURS in out
    assert THEIRS in out
    assert "BLEU" not in dialeval("score", *texts, "-m", "rouge_l").out


def write_responses(name: str, said: list[str]) -> None:
    rows = [
        {"id": str(n), "system": name, "context": [], "response": text, "references": [wanted]}
        for n, (text, wanted) in enumerate(zip(said, WANTED, strict=True))
    ]
    Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_comparison_gives_both_scores_and_their_difference_as_sacrebleu_prints_them(dialeval):
    other = ["the train leaves", "I have no idea", "take the bus"]
    write_responses("a", SAID)
    write_responses("b", other)
    a, b = (sacrebleu.corpus_bleu(said, [WANTED]).score for said in (SAID, other))
    for options in (["--sacrebleu"], ["-m", "bleu(order=4)", "--sacrebleu"], ["-m", SACREBLEU]):
        margin = [
            "--margin",
            f"{options[-1] if options[0] == '-m' and options[-1] == SACREBLEU else 'bleu(order=4)'}=0.1",
        ]
        compared = dialeval("compare", "a.jsonl", "b.jsonl", *options, *margin)
        assert compared.code == 0, compared.err
        out = unwrapped(compared.out)
        assert f"as sacrebleu prints it, from 0 to 100: a {a:.2f}, b {b:.2f}, difference {a - b:.2f} [" in out
        assert f"{THEIRS}." in out
        assert OURS not in out
    assert "from 0 to 100: a" not in dialeval("compare", "a.jsonl", "b.jsonl").out


def test_leaderboards_and_comparisons_say_it_too(dialeval, tmp_path):
    prompts = [
        {"id": str(n), "context": [{"role": "user", "content": said}], "references": [wanted]}
        for n, (said, wanted) in enumerate(zip(SAID * 4, WANTED * 4, strict=True))
    ]
    Path("prompts.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    Path("study.yaml").write_text(
        "data: prompts.jsonl\nsystems: [{name: one, kind: echo}, {name: two, kind: echo}]\n"
        "measures: [bleu(order=4), \"bleu(order=4,profile='sacrebleu')\"]\n"
    )
    ran = dialeval("run", "study.yaml", "-o", "out")
    for out in (ran.out, dialeval("report", "out", "--markdown").out.replace("- ", "")):
        assert OURS in unwrapped(out)
        assert THEIRS in unwrapped(out)
        assert re.search(
            r"as sacrebleu prints it, from 0 to 100: one \d+\.\d\d \[.*\], two \d", unwrapped(out)
        )
    compared = unwrapped(dialeval("compare", "out:one", "out:two", "--sacrebleu").out)
    assert f"{THEIRS}." in compared
    assert OURS not in compared
