"""Small valid files of every format, which the mutations start from."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence

CONTEXT = [
    {"role": "user", "content": "Is there a train to Sendai?"},
    {"role": "assistant", "content": "Yes, at nine. ¿Quieres ir?"},
    {"role": "user", "content": "二人です。"},
]
EXAMPLES = [
    {
        "id": f"e{n}",
        "system": "a",
        "context": CONTEXT[:n],
        "response": f"Answer {n}, and more.",
        "references": ["Fine."],
    }
    for n in range(4)
]
DIALOGUES = [{"id": f"d{n}", "messages": CONTEXT, "system": "a", "metadata": {"n": n}} for n in range(3)]
PROMPTS = [{"id": f"p{n}", "context": CONTEXT, "references": ["Yes.", "No."]} for n in range(3)]
QUESTIONS = [
    {
        "id": f"q{n}",
        "context": CONTEXT,
        "candidates": [
            {"text": "Certainly.", "correct": True},
            {"text": "The moon.", "correct": False, "error": "irrelevant"},
        ],
        "status": "vetted",
    }
    for n in range(3)
]
NBEST = [
    {
        "id": f"n{n}",
        "system": "a",
        "context": CONTEXT,
        "responses": [{"text": "Yes.", "logprob": -1.5}, {"text": "No.", "logprob": -2.5}],
        "expected": "yes",
    }
    for n in range(3)
]
JUDGEMENTS = [
    {"item": f"e{n}", "system": "a", "rater": f"r{m}", "criterion": "overall", "value": n + m}
    for n in range(3)
    for m in range(2)
]
CHOICES = [
    {
        "measure": "selection_accuracy",
        "id": f"q{n}",
        "system": "a",
        "status": "vetted",
        "chosen": 0,
        "correct": True,
        "rank": 1,
        "context": CONTEXT,
        "candidates": [
            {"text": "Certainly.", "score": -1.0, "correct": True},
            {"text": "The moon.", "score": -3.0, "correct": False},
        ],
    }
    for n in range(2)
]
CHOICES_WITHOUT = {
    "measure": "selection_accuracy",
    "id": "q9",
    "system": "a",
    "status": None,
    "reason": "no answer",
}
ANSWERS = [
    {**example, "measure": "consistency", "referent": 0, "kind": "follow-up", "draw": "top", "candidates": 1}
    for example in EXAMPLES[1:]
]
LISTS = [
    {
        **record,
        "responses": [
            {"text": "Yes.", "logprob": -1.5, "verdict": "consistent", "probability": 0.9},
            {"text": "No.", "verdict": "contradictory", "probability": 0.2},
        ],
        "reader": "yesno",
    }
    for record in NBEST
]
PAIRS = [
    {"earlier": "I like tea.", "response": "I hate tea.", "label": "contradiction", "between": "Why?"},
    {"premise": "A", "hypothesis": "B", "label": "neutral"},
]
PREFERENCES = [
    {"item": "1", "rater": "r", "a": "x", "b": "y", "choice": "a"},
    {"a": "x", "b": "y", "choice": "tie"},
]
EXCHANGES = [
    {"id": "1", "question": "Tea?", "answer": "Gladly.", "label": "yes"},
    {"question": "Tea?", "answer": "Hm.", "label": "ambiguous"},
]
OPENAI = [
    {"messages": CONTEXT},
    {
        "messages": [
            *CONTEXT,
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
        ]
    },
]
SHAREGPT = [
    {
        "id": "1",
        "conversations": [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Hello."}],
        "system": "Be kind.",
    }
]
PARLAI = [{"dialog": [[{"id": "human", "text": "Hi."}, {"id": "model", "text": "Hello."}]]}]
TURNS = [
    {"id": "1", "turns": ["Hi.", "Hello."]},
    {"id": "2", "turns": [{"speaker": "A", "text": "Hi."}, {"speaker": "B", "text": "Ho."}]},
]
FED = [
    {
        "context": "User: Hi.\nSystem: Hello.",
        "response": "System: Bye.",
        "system": "Meena",
        "annotations": {"Overall": [1, 2, "N/A"]},
    },
    {
        "context": "User: Hi.\nSystem: Hello.",
        "system": "Human",
        "annotations": {"Overall": [3, 4, 2], "Coherent": [1, 1, 0]},
    },
]
FED_SCORES = {"Interesting": [0.5], "Coherent": [0.1]}
USR = [
    {
        "source": "a\nb",
        "system_id": system,
        "system_output": "c",
        "context": "fact",
        "scores": {"overall": 3.0},
        "predict_scores": {"overall": 0.5},
    }
    for system in ("Original Ground Truth", "Argmax Decoding")
]
DAILYDIALOG = [
    {
        "context": ["a", "b"],
        "positive_responses": ["c"],
        "adversarial_negative_responses": ["d"],
        "random_negative_responses": ["e"],
    }
]
MUTUAL = [
    {
        "answers": "A",
        "options": ["f : yes .", "m : no .", "f : x", "f : y"],
        "article": "m : hi . f : hello . m : so ?",
        "id": "dev_1",
    }
]
SELECTION = [[[5, 4], [1, 2], [0, 1], [3, 3]], [[5, 5], [1, 1], [2, 2], [1, 0]]]
RGM = [
    {
        "utterances": ["I like tea.", "Really?", "[[opt:1]]"],
        "speakers": ["A", "B", "A"],
        "annotation_target_pair": [0, 2],
        "contradictory_label_count": 3,
        "rgm_name": "opt",
    }
]
MULTIREF = [{"index": 0, "dialogue": [{"text": "a", "responses": ["b"]}, {"text": "c"}]}]
GRADE = [
    {
        "Dataset": "convai2_EVAL",
        "DialogModel": "ranker",
        "Context": "a|||b",
        "Response": "c",
        "HumanScores": "[1, 2]",
    }
]
KEY = [{"id": "t1", "item": "q0", "system": "false_1", "text": "The moon.", "criteria": ["acceptability"]}]
FILLED = [{"task": "t1", "score": 3, "rater": "r", "candidate": "The moon.", "context": ["a"]}]
PARLAI_TEXT = (
    "text:Hi.\tlabels:Hello.|Hey.\ntext:How?\tlabels:Fine.\tepisode_done:True\ntext:Bye.\tepisode_done:True\n"
)
ACTS = "sw1|A|Hello.|greeting\nsw1|B|Right.|agree\n"
STUDY = """\
name: fuzzed
seed: 7
data: prompts.jsonl
systems:
  - {name: old, kind: transcript, path: old.jsonl}
  - {name: new, kind: echo}
  - name: server
    kind: openai
    base_url: "http://127.0.0.1:9/v1"
    model: m
measures:
  - bleu(order=4)
  - rouge_l
  - {name: selection_accuracy, questions: questions.jsonl}
gates: ["rouge_l >= 0.1"]
human: {path: ratings.jsonl, criterion: overall}
margin: {rouge_l: 0.02}
primary: rouge_l
"""
ROSTER = """\
source: made up
systems:
  - {name: gru, architecture: gru, layers: 1, hidden: 16}
  - {name: tuned, start_from: gru}
"""


SHEET = [
    {
        "question": f"Where is order {n}?",
        "gold": "It ships soon.",
        "old_bot": "Please wait.",
        "new_bot": "Soon, I think.",
    }
    for n in range(3)
]
MESSAGES = [
    {
        "conversation_id": f"c{n % 2}",
        "author": who,
        "text": f"Said {n}.",
        "created_at": f"2026-11-18T09:0{n}:00",
    }
    for n, who in enumerate(["customer", "Ben", "bot", "customer"])
]
WHATSAPP = (
    "[18/11/2026, 09:29:00] Messages are encrypted.\n[18/11/2026, 09:30:00] Anna: Hi\nthere\n"
    "\u200e[18/11/2026, 09:31:00] Ben: \u200eimage omitted\n[18/11/2026, 09:32:00] Ben: ok: fine\n"
)


def jsonl(rows: Iterable[object]) -> bytes:
    """A JSON Lines file."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def array(rows: Sequence[object]) -> bytes:
    """A JSON array."""
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def table(rows: Sequence[Mapping[str, object]], separator: str = ",") -> bytes:
    """A table; what is not text is JSON in its cell."""
    out = io.StringIO(newline="")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.writer(out, delimiter=separator)
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name, "")) for name in columns] for row in rows])
    return out.getvalue().encode()


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parquet(rows: Sequence[Mapping[str, object]], **options: object) -> bytes:
    """A Parquet file with nested columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out, **options)
    return out.getvalue()


def workbook(rows: Sequence[Sequence[object]]) -> bytes:
    """A workbook with one sheet."""
    from openpyxl import Workbook

    book = Workbook()
    for row in rows:
        book.active.append(
            [value if isinstance(value, int | float | str) else json.dumps(value) for value in row]
        )
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def zipped(raw: bytes) -> bytes:
    """The same, gzipped."""
    return gzip.compress(raw, mtime=0)
