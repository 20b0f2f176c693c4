"""Small corpora of dialogues, and what a retrieval system answers from them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from dialeval.data.types import Context, Turn
from dialeval.systems import Retrieval


def corpus(path: Path, *dialogues: Sequence[str]) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for number, turns in enumerate(dialogues):
            messages = [{"role": "user", "content": text} for text in turns]
            file.write(json.dumps({"id": str(number), "messages": messages}) + "\n")
    return path


def context(*texts: str) -> Context:
    return tuple(Turn("user", text) for text in texts)


def texts(system: Retrieval, *turns: str, n: int = 1) -> list[str]:
    return [response.text for response in system.generate([context(*turns)], n=n)[0]]
