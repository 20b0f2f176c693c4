"""What tests of several commands start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.asked_questions import SKILL, N, write


@pytest.fixture
def asked(tmp_path) -> Path:
    """Questions on trains, and two transcripts that know how likely their candidates are."""
    questions, known = [], {name: [] for name in SKILL}
    for at in range(N):
        texts = [
            f"the train to town{at} leaves at noon",
            f"trains are red, number {at}",
            f"no tea, thanks {at}",
        ]
        candidates = [{"text": texts[0], "correct": True}]
        candidates += [
            {"text": text, "correct": False, "error": error}
            for text, error in zip(texts[1:], ("wrong_subject", "irrelevant"), strict=True)
        ]
        context = [{"role": "user", "content": f"when does the train to town{at} leave"}]
        questions.append({"id": f"q{at}", "context": context, "candidates": candidates, "status": "unvetted"})
        for name, skill in SKILL.items():
            logprobs = [-1.0, -2.0, -3.0] if at < skill else [-2.0, -1.0, -3.0]
            responses = [{"text": t, "logprob": p} for t, p in zip(texts, logprobs, strict=True)]
            known[name].append({"id": f"q{at}", "system": name, "context": context, "responses": responses})
    for name, rows in known.items():
        write(tmp_path / f"{name}.jsonl", rows)
    return write(tmp_path / "questions.jsonl", questions)
