"""The readers under test: what each reads, how that is mutated, and how many records it must give."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dialeval.data import BadLine, read, read_guessing, read_prompts, read_texts
from support.fuzzing import mutations, seeds
from support.fuzzing.mutations import Mutation


class Given(NamedTuple):
    """What a reader made of a file."""

    records: int
    bad: int
    """Lines that it named as bad."""


class Refused:
    """A file that a reader must refuse."""


REFUSED = Refused()
Read = Callable[[Path], Given | None]
Count = Callable[[bytes], int | Refused | None]


def unknown(raw: bytes) -> None:
    """For files whose rows we cannot count by other means."""


@dataclass(frozen=True)
class Target:
    """A reader, the files that it reads, and which of them are mutated."""

    name: str
    files: Mapping[str, bytes]
    """By name, in one folder; the first is the one that ``read`` is given."""
    read: Read
    mutations: Sequence[Mutation]
    count: Count = unknown
    """How many records and bad lines the mutated file must give, where that can be said."""
    spoilt: Sequence[str] = ()
    """Which files are mutated; the first by default."""
    share: float = 1.0
    """How many cases it gets, relative to the others: slow readers get fewer."""
    harmless: bool = False
    """Whether the mutations leave the content as it is, so that nothing may be refused."""


def counted(read_with: Callable[..., object]) -> Read:
    """A reader that sets bad lines aside, as the commands do with --skip-bad."""

    def run(path: Path) -> Given:
        bad: list[BadLine] = []
        records = list(read_with(path, on_bad=bad.append))  # type: ignore[call-overload]
        return Given(len(records), len(bad))

    return run


def whole(read_with: Callable[[Path], object]) -> Read:
    """A reader whose result has no rows to count."""

    def run(path: Path) -> None:
        result = read_with(path)
        if hasattr(result, "__next__"):
            list(result)  # type: ignore[call-overload]

    return run


def lines_in(raw: bytes) -> int | None:
    """The lines of a JSON Lines file that hold something; None where encodings or arrays make that unclear."""
    if b"\x00" in raw or b"\r" in raw or raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    if raw.lstrip()[:1] == b"[":
        return None
    return sum(bool(line.strip(b" \t")) for line in raw.split(b"\n"))


def elements_in(raw: bytes) -> int | None:
    """The elements of a JSON array; None of anything else."""
    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return len(value) if isinstance(value, list) else None


def zipped_lines(raw: bytes) -> int | Refused | None:
    """The lines in a gzipped file; one that gzip cannot unpack must be refused."""
    if raw[:2] != b"\x1f\x8b":
        return None
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            return lines_in(file.read())
    except (OSError, EOFError, zlib.error):
        return REFUSED


def rows_in(raw: bytes) -> int | None:
    """The rows that a Parquet file says it has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.ParquetFile(io.BytesIO(raw)).metadata.num_rows)
    except (pa.ArrowException, OSError, ValueError):
        return None


def always(count: int) -> Count:
    """The same number, whatever the file."""
    return lambda raw: count


def records(
    name: str, raw: bytes, kind: str, kinds: Sequence[Mutation], count: Count = unknown, **more: object
) -> Target:
    """A file of one kind of record, read by its ending."""
    own = dict(more)
    form = own.pop("format", None)
    file = str(own.pop("file"))

    def reader(path: Path, on_bad: object) -> object:
        return read(path, kind, format=form, on_bad=on_bad)  # type: ignore[call-overload]

    return Target(name, {file: raw}, counted(reader), kinds, count, **own)  # type: ignore[arg-type]


def natives() -> list[Target]:
    """Our own kinds of records in every container."""
    kinds = {
        "example": seeds.EXAMPLES,
        "dialogue": seeds.DIALOGUES,
        "prompt": seeds.PROMPTS,
        "question": seeds.QUESTIONS,
        "nbest": seeds.NBEST,
        "judgement": seeds.JUDGEMENTS,
    }
    out: list[Target] = []
    for kind, rows in kinds.items():
        out += [
            records(
                f"{kind} jsonl", seeds.jsonl(rows), kind, mutations.JSON, lines_in, file="f.jsonl", share=2.0
            ),
            records(f"{kind} array", seeds.array(rows), kind, mutations.JSON, elements_in, file="f.json"),
            records(f"{kind} csv", seeds.table(rows), kind, mutations.TABLE, file="f.csv"),
            records(f"{kind} tsv", seeds.table(rows, "\t"), kind, mutations.TEXT, file="f.tsv", share=0.5),
            records(
                f"{kind} dialects",
                seeds.table(rows),
                kind,
                (mutations.redialect,),
                always(len(rows)),
                file="f.csv",
                share=0.5,
                harmless=True,
            ),
            records(
                f"{kind} parquet",
                seeds.parquet(rows),
                kind,
                mutations.BYTES,
                rows_in,
                file="f.parquet",
                share=0.5,
            ),
            records(
                f"{kind} plain parquet",
                seeds.parquet(rows, compression="none", use_dictionary=False, write_statistics=False),
                kind,
                mutations.BYTES,
                rows_in,
                file="f.parquet",
                share=0.5,
            ),
            records(
                f"{kind} gz",
                seeds.zipped(seeds.jsonl(rows)),
                kind,
                mutations.zipped(mutations.JSON),
                zipped_lines,
                file="f.jsonl.gz",
                share=0.5,
            ),
        ]
    sheet = [list(seeds.JUDGEMENTS[0]), *(list(row.values()) for row in seeds.JUDGEMENTS)]
    out.append(
        records(
            "workbook",
            seeds.workbook(sheet),
            "judgement",
            (*mutations.BYTES, mutations.inside_zip, mutations.inside_zip),
            file="f.xlsx",
            share=1.0,
        )
    )
    guess = counted(lambda path, on_bad: read_guessing(path, on_bad=on_bad).records)
    out += [
        Target(
            "guessed jsonl",
            {"f.jsonl": seeds.jsonl([*seeds.EXAMPLES, *seeds.DIALOGUES])},
            guess,
            mutations.JSON,
            lines_in,
        ),
        Target("sheet csv", {"f.csv": seeds.table(seeds.SHEET)}, guess, mutations.TABLE),
        Target("sheet jsonl", {"f.jsonl": seeds.jsonl(seeds.SHEET)}, guess, mutations.JSON),
        Target("sheet parquet", {"f.parquet": seeds.parquet(seeds.SHEET)}, guess, mutations.BYTES, share=0.5),
        Target(
            "named columns",
            {"f.csv": seeds.table(seeds.SHEET)},
            counted(
                lambda path, on_bad: read(
                    path, "example", columns="context=gold,response=old_bot", on_bad=on_bad
                )
            ),
            mutations.TABLE,
        ),
        Target("text by its look", {"f.txt": seeds.WHATSAPP.encode()}, guess, mutations.TEXT),
        Target("guessed csv", {"f.csv": b"item;system;r1;r2\na;s;1,5;2\nb;s;NA;3\n"}, guess, mutations.TEXT),
        Target(
            "prompts",
            {"f.jsonl": seeds.jsonl(seeds.DIALOGUES)},
            counted(lambda path, on_bad: read_prompts(path, on_bad=on_bad, turns="all")),
            mutations.JSON,
        ),
        Target(
            "texts",
            {"f.txt": b"one\ntwo\n\nthree\n", "ref.txt": "uno\ndös\n\ntres\n".encode()},
            counted(lambda path, on_bad: read_texts(path, [path.with_name("ref.txt")], on_bad=on_bad)),
            mutations.TEXT,
            spoilt=("f.txt", "ref.txt"),
        ),
    ]
    return out


def imported() -> list[Target]:
    """The formats of other tools and of published corpora."""

    def one(
        form: str,
        file: str,
        raw: bytes,
        kind: str,
        kinds: Sequence[Mutation] = mutations.JSON,
        count: Count = unknown,
    ) -> Target:
        return records(f"{form} {kind}", raw, kind, kinds, count, file=file, format=form, share=0.7)

    circa = seeds.table(
        [
            {
                "id": "1",
                "context": "c",
                "question-X": "q",
                "canquestion-X": "q",
                "answer-Y": "a",
                "judgements": "Yes#No#Yes",
                "goldstandard1": "Yes",
            }
        ],
        "\t",
    )
    columns = [
        "query",
        "response",
        "human_score",
        "Ruber_Unref_Score",
        "CTX_Unref_Score",
        "Eng_Score_MeanPooling",
        "Eng_Score_MaxPooling",
    ]
    engaged = seeds.table([dict(zip(columns, ["a", "b", "1", "0.5", "0.5", "0.5", "0.5"], strict=True))] * 3)
    from dialeval.data.importers.corpora.emnlp17 import METRICS, QUALITIES

    novikova = seeds.table(
        [
            {
                "dataset": "BAGEL",
                "system": "s",
                "mr": "inform()",
                **dict.fromkeys((*QUALITIES, *METRICS), "1.5"),
            }
        ]
        * 2
    )
    rated = seeds.table(
        [
            {
                "context_id": "1",
                "system": "x",
                "response": "r",
                "context": "a||||b",
                "all_references": "r\ts",
                "rating": "3.5",
                "appropriateness": "3",
            }
        ]
    )
    return [
        one("openai", "f.jsonl", seeds.jsonl(seeds.OPENAI), "dialogue", count=lines_in),
        one("openai", "f.jsonl", seeds.jsonl(seeds.OPENAI), "example"),
        one("turns", "f.jsonl", seeds.jsonl(seeds.TURNS), "dialogue", count=lines_in),
        one("sharegpt", "f.json", seeds.array(seeds.SHAREGPT), "dialogue", count=elements_in),
        one("parlai-text", "f.txt", seeds.PARLAI_TEXT.encode(), "dialogue", mutations.TEXT),
        one("parlai-text", "f.txt", seeds.PARLAI_TEXT.encode(), "prompt", mutations.TEXT),
        one("parlai-jsonl", "f.jsonl", seeds.jsonl(seeds.PARLAI), "dialogue", count=lines_in),
        one("message-rows", "f.csv", seeds.table(seeds.MESSAGES), "dialogue", mutations.TABLE),
        one("message-rows", "f.jsonl", seeds.jsonl(seeds.MESSAGES), "dialogue"),
        one("whatsapp", "f.txt", seeds.WHATSAPP.encode(), "dialogue", mutations.TEXT),
        one("ratings-wide", "f.csv", b"item,system,r1,r2\na,s,1,2\nb,s,,3\n", "judgement", mutations.TABLE),
        one("fed", "f.json", seeds.array(seeds.FED), "example"),
        one("fed", "f.json", seeds.array(seeds.FED), "judgement"),
        one("usr", "f.json", seeds.array(seeds.USR), "example"),
        one("usr", "f.json", seeds.array(seeds.USR), "judgement"),
        one("multirefeval", "f.json", seeds.jsonl(seeds.MULTIREF), "prompt"),
        one("multirefeval", "f.csv", rated, "example", mutations.TABLE),
        one("multirefeval", "f.csv", rated, "judgement", mutations.TABLE),
        one("dailydialog++", "f.json", seeds.jsonl(seeds.DAILYDIALOG), "question", count=lines_in),
        one("mutual", "f.jsonl", seeds.jsonl(seeds.MUTUAL), "question", count=lines_in),
        one("unieval", "f.json", seeds.array(seeds.USR), "judgement"),
        one("emnlp17", "f.csv", novikova, "judgement", mutations.TABLE),
        one("predictive-engagement", "f.csv", engaged, "judgement", mutations.TABLE),
        one("eval-via-selection", "f.jsonl", seeds.jsonl(seeds.SELECTION), "judgement"),
        one("circa", "f.tsv", circa, "judgement", mutations.TEXT),
        one("rgm-contradiction", "f.jsonl", seeds.jsonl(seeds.RGM), "judgement"),
        Target(
            "fed-scores",
            {"f.json": json.dumps(seeds.FED_SCORES).encode(), "fed_data.json": seeds.array(seeds.FED)},
            counted(lambda path, on_bad: read(path, "judgement", format="fed-scores", on_bad=on_bad)),
            mutations.JSON,
            spoilt=("f.json", "fed_data.json"),
        ),
        Target(
            "grade",
            {
                "human_score/human_judgement.json": seeds.jsonl(seeds.GRADE),
                "eval_data/convai2/ranker/human_ref.txt": b"ref\n",
            },
            counted(lambda path, on_bad: read(path.parents[1], "example", format="grade", on_bad=on_bad)),
            mutations.JSON,
            spoilt=("human_score/human_judgement.json", "eval_data/convai2/ranker/human_ref.txt"),
        ),
    ]


def further() -> list[Target]:
    """Files of single evaluations: choices, answers, pairs, keys, preferences, studies."""
    from dialeval.annotation.answers import read_answers
    from dialeval.annotation.project import read_key
    from dialeval.consistency.folder import read_answers as read_probed
    from dialeval.consistency.learning.acts import read_utterances
    from dialeval.consistency.pairs.reading import read_pairs
    from dialeval.consistency.probing.probes import read_probes
    from dialeval.data.choices import choices_vetting, read_choices
    from dialeval.nbest.answers.corpus import read_exchanges, read_questions
    from dialeval.nbest.folder import read_lists, read_stimuli
    from dialeval.nbest.measuring.shares import read_counts
    from dialeval.nbest.stimuli.pairs import read_pairs as read_inferences
    from dialeval.ratings.preferences import read_preferences
    from dialeval.ratings.table import read_judgements
    from dialeval.study.file import load_study
    from dialeval.systems.trained.roster import load_roster

    nli = seeds.jsonl([{"premise": "I have a dog.", "hypothesis": "I have a pet.", "label": "entailment"}])
    beside = {"prompts.jsonl": seeds.jsonl(seeds.PROMPTS), "old.jsonl": seeds.jsonl(seeds.EXAMPLES)}
    beside |= {
        "questions.jsonl": seeds.jsonl(seeds.QUESTIONS),
        "ratings.jsonl": seeds.jsonl(seeds.JUDGEMENTS),
    }

    def lined(
        name: str,
        raw: bytes,
        read_with: Callable[[Path], object],
        kinds: Sequence[Mutation] = mutations.JSON,
        file: str = "f.jsonl",
        share: float = 0.7,
    ) -> Target:
        return Target(name, {file: raw}, whole(read_with), kinds, share=share)

    return [
        lined("choices", seeds.jsonl([*seeds.CHOICES, seeds.CHOICES_WITHOUT]), read_choices),
        lined("vetting of choices", seeds.jsonl(seeds.CHOICES), choices_vetting),
        lined("answers to probes", seeds.jsonl(seeds.ANSWERS), read_probed),
        lined("probes", seeds.jsonl(seeds.PROMPTS), read_probes),
        lined("pairs", seeds.jsonl(seeds.PAIRS[:1]), read_pairs),
        lined("nli pairs", seeds.jsonl(seeds.PAIRS[1:]), read_pairs),
        Target(
            "published pairs",
            {
                "contexts/f.jsonl": seeds.jsonl(seeds.RGM),
                "responses/opt.json": json.dumps({"[[opt:1]]": "I hate tea."}).encode(),
            },
            whole(read_pairs),
            mutations.JSON,
            spoilt=("contexts/f.jsonl", "responses/opt.json"),
        ),
        lined("dialogue acts", seeds.ACTS.encode(), read_utterances, mutations.TEXT, "f.txt"),
        lined("preferences", seeds.jsonl(seeds.PREFERENCES), read_preferences),
        lined(
            "preferences csv", seeds.table(seeds.PREFERENCES[:1]), read_preferences, mutations.TABLE, "f.csv"
        ),
        lined("exchanges", seeds.jsonl(seeds.EXCHANGES), lambda path: read_exchanges([path])),
        lined("labelled questions", seeds.jsonl(seeds.NBEST), read_questions),
        lined("stimuli", seeds.jsonl([{**row, "expected": "no"} for row in seeds.PROMPTS]), read_stimuli),
        lined("judged lists", seeds.jsonl(seeds.LISTS), read_lists),
        lined("counts", seeds.jsonl([{"id": "1", "correct": True, "n": 3, "contradictory": 1}]), read_counts),
        lined("inferences", nli, read_inferences),
        lined("key", seeds.jsonl(seeds.KEY), read_key),
        lined("filled-in tasks", seeds.jsonl(seeds.FILLED), lambda path: read_answers(path)),
        lined(
            "filled-in table",
            b"task,score,rater\nt1,3,r\nt2,,r\n",
            lambda path: read_answers(path),
            mutations.TABLE,
            "f.csv",
        ),
        lined("ratings", seeds.jsonl(seeds.JUDGEMENTS), lambda path: read_judgements([path])),
        lined(
            "ratings wide",
            b"item,system,r1,r2\na,s,1,2\nb,s,,3\n",
            lambda path: read_judgements([path]),
            mutations.TABLE,
            "f.csv",
        ),
        Target(
            "study",
            {"study.yaml": seeds.STUDY.encode(), **beside},
            whole(load_study),
            (*mutations.TEXT, mutations.insert, mutations.swap_yaml, mutations.swap_yaml),
            share=0.5,
        ),
        lined(
            "roster",
            seeds.ROSTER.encode(),
            lambda path: load_roster(str(path)),
            (*mutations.TEXT, mutations.swap_yaml),
            "roster.yaml",
        ),
    ]


def tensors() -> list[Target]:
    """Files of weights: adapters, and heads; and the cache of results."""
    import numpy as np
    from safetensors.numpy import save

    from dialeval.encoder.adapters import ABOUT, About, find_adapter, tensor_shapes
    from dialeval.encoder.files import find_encoder
    from dialeval.engine import Cache
    from dialeval.selfeval.quality.metric import FORMAT, find_head

    weights = find_encoder("minilm")
    about = About("contradiction", ("p",), "minilm", weights.sha256, 1.0, 128, "last", {"threshold": 0.5})
    arrays = {"head.hidden.weight": np.ones((4, 8), np.float32), "head.hidden.bias": np.ones(4, np.float32)}
    adapter = save(arrays, {ABOUT: about.text()})
    parts = {f"turn.{part}": np.ones(2) for part in ("centre", "scale", "weight")}
    head = save(parts, {"format": FORMAT, "names": json.dumps({"turn": ["x", "y"]})})
    cache = Cache(Path("/nonexistent"))
    entry = cache.path("key", "digest").relative_to(cache.folder).as_posix()

    def cached(path: Path) -> None:
        folder = path.parents[1]
        kept = Cache(folder).get("key", "digest")
        assert kept in (None, b"payload of a batch"), "the cache gave other bytes than it was given"

    return [
        Target(
            "adapter",
            {"a.safetensors": adapter},
            whole(lambda path: (find_adapter(path), tensor_shapes(path))),
            (*mutations.BYTES, mutations.swap_header),
            share=0.7,
        ),
        Target(
            "heads",
            {"h.safetensors": head},
            whole(lambda path: find_head(path).head("turn")),
            (*mutations.BYTES, mutations.swap_header),
            share=0.7,
        ),
        Target("cache", {entry: kept_entry(b"payload of a batch")}, cached, mutations.BYTES, share=0.7),
    ]


def kept_entry(payload: bytes) -> bytes:
    """A file as the cache writes it."""
    from tempfile import TemporaryDirectory

    from dialeval.engine import Cache

    with TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        cache.put("key", "digest", payload)
        return cache.path("key", "digest").read_bytes()
