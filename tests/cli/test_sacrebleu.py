"""Which BLEU a table shows, and on which scale."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu

SAID = ["the train leaves at nine, I think", "no idea, sorry", "you could take the bus to the station"]
WANTED = ["the train leaves at nine thirty", "I have no idea, sorry", "take the bus to the old station"]
OURS = "bleu(order=4) is BLEU as nlg-eval computes it, from 0 to 1; sacrebleu's is another, from 0 to 100"
THEIRS = "bleu(order=4,profile='sacrebleu') is BLEU as sacrebleu computes it, divided by 100"


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
    assert f"as sacrebleu prints it: system {theirs:.2f}" in unwrapped(done.out)
    assert THEIRS in unwrapped(done.out)
    assert "nlg-eval" not in done.out
    assert "rouge_l" not in done.out


def test_two_bleus_in_one_table_say_whose_they_are(dialeval, texts):
    out = unwrapped(dialeval("score", *texts, "-m", "bleu(order=4)", "--sacrebleu").out)
    assert OURS in out
    assert THEIRS in out
    assert "BLEU" not in dialeval("score", *texts, "-m", "rouge_l").out


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
    compared = unwrapped(dialeval("compare", "out:one", "out:two", "--sacrebleu").out)
    assert f"{THEIRS}." in compared
    assert OURS not in compared
