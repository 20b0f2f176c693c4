"""``dialeval nbest measure``: Certainty and Variety of recorded or generated n-best lists."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dialeval.cli.cached import CachedAnswers
from dialeval.cli.nbest.answers import ModelOption, ReaderOption, reader_of
from dialeval.cli.options import AskAgain, CacheFolder, Json, Limit, Resume, Seed
from dialeval.cli.systems import named_system
from dialeval.cli.workshop import open_workshop

if TYPE_CHECKING:
    from dialeval.core import Detector
    from dialeval.data import NBest
    from dialeval.nbest.document import NBestDocument


def measure(
    file: Annotated[
        str,
        typer.Argument(metavar="NBEST", help="N-best lists, or with --system stimuli; - for stdin."),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="NAME", help="Ask this system about the stimuli. Repeatable."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", min=1, help="Use the first N responses of each list.", show_default="all; 10"),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option("--sizes", metavar="N,N,...", help="List sizes of the curves.")
    ] = None,
    decoding: Annotated[
        str | None,
        typer.Option(
            "--decoding",
            help="How lists are generated, as in 'beam(beams=10)' or 'nucleus(top_p=0.9)'.",
            show_default="beam",
        ),
    ] = None,
    reader: ReaderOption = "yesno",
    model: ModelOption = None,
    by: Annotated[
        Literal["answer", "detector"],
        typer.Option(
            "--by",
            help="Judge by what an answer means where one is expected, or all lists by the contradiction detector.",
        ),
    ] = "answer",
    detector: Annotated[
        str,
        typer.Option(
            "--detector",
            metavar="ADAPTER|FILE.py:NAME",
            help="For lists without an expected answer: 'shipped', what 'train contradiction' wrote, or your code.",
        ),
    ] = "shipped",
    lists: Annotated[
        Path | None, typer.Option("--lists", help="Write the n-best lists that were generated here.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for nbest.json, lists.jsonl, nbest.html.")
    ] = None,
    seed: Seed = 0,
    limit: Limit = None,
    resume: Resume = True,
    ask_again: AskAgain = None,
    cache: CacheFolder = None,
    json: Json = False,
) -> None:
    """Measure how often an n-best list has a response that does not contradict (Certainty), and how many (Variety).

    Lists with an ambiguous response are left out and counted. Lists that do not say which answer is expected are judged
    by a contradiction detector. Interrupted? The same command resumes.

    Example: dialeval nbest measure lists.jsonl --json

    Example: dialeval nbest measure stimuli.jsonl --system smollm2-135m-instruct -n 10 -o measured
    """
    from dialeval.data.writing import write
    from dialeval.files.digests import hash_file
    from dialeval.files.folders import check_target
    from dialeval.nbest.document import NBestDocument
    from dialeval.nbest.folder import FILES, write_measured
    from dialeval.nbest.measuring.judged import judge_lists
    from dialeval.nbest.measuring.results import curves_of, default_sizes, results_of, size_notes

    chosen = _sizes(sizes) if sizes else None
    if out is not None:
        check_target(out, "nbest.json", kind="nbest", parts=FILES)
    given, failures = _lists(file, system, n or 10, decoding, seed, limit, cache, resume, ask_again is True)
    if lists is not None:
        write(lists, given)
    judge = reader_of(reader, model)
    judged = judge_lists(given, judge, _detector(detector), detect_all=by == "detector")
    name = "; ".join(dict.fromkeys(each.reader for each in judged)) or str(judge.signature)
    longest = max((len(each.verdicts) for each in judged), default=0)
    wanted = chosen or default_sizes(min(n or longest, longest))
    document = NBestDocument(
        results=results_of(judged, name, n=n),
        curves=curves_of(judged, name, wanted),
        reader=name,
        confidence=0.95,
        sources={file: hash_file(Path(file))} if Path(file).is_file() else {},
        notes=size_notes(judged, n),
    )
    page = write_measured(out, document, judged) if out is not None else None
    _print(document, page, json=json)
    _leave(failures)
    _refuse_nothing(document)


def _refuse_nothing(document: NBestDocument) -> None:
    """Fail if no list counts."""
    from dialeval.display.wording import count
    from dialeval.errors import RunFailed

    if any(result.n for result in document.results):
        return
    reasons: Counter[str] = Counter()
    for result in document.results:
        reasons.update(result.reasons)
    why = "; ".join(f"{count(n, 'list')}: {reason}" for reason, n in reasons.items())
    raise RunFailed(
        f"Nothing was measured: every list was left out ({why}). "
        "--by detector judges lists by the contradiction detector."
    )


def _print(document: NBestDocument, page: Path | None, *, json: bool) -> None:
    from dialeval.files.documents import as_json
    from dialeval.nbest.report.tables import print_measured

    if json:
        for note in document.notes:
            print(f"note: {note}", file=sys.stderr)
        print(jsonlib.dumps(as_json(document), ensure_ascii=False, allow_nan=False))
        return
    print_measured(document)
    if page is not None:
        print(f"Report: {page}")


def _lists(
    file: str,
    systems: Sequence[str] | None,
    n: int,
    decoding: str | None,
    seed: int,
    limit: int | None,
    cache: Path | None,
    resume: bool,
    ask_again: bool,
) -> tuple[list[NBest], list[str]]:
    """The lists to measure, recorded or generated, and what went wrong in generating them."""
    from dialeval.data import NBest, read
    from dialeval.nbest.folder import read_stimuli
    from dialeval.nbest.measuring.lists import decoded_by, generate_lists

    if not systems:
        if decoding is not None:
            raise typer.BadParameter("--decoding is for --system")
        return list(islice(read(file, "nbest"), limit)), []
    stimuli = read_stimuli(file)[:limit]
    lists: list[NBest] = []
    failures: list[str] = []
    with open_workshop(jobs=1, cache=cache, resume=resume) as shop:
        answers = CachedAnswers(shop, ask_again=ask_again)
        for name in systems:
            asked = answers.watched(decoded_by(named_system(name), decoding, n))
            made = generate_lists(asked, stimuli, n, seed=seed, cache=answers.of(asked), watch=shop.watch)
            lists += [each for each in made.lists if isinstance(each, NBest)]
            missing = len(made.lists) - sum(isinstance(each, NBest) for each in made.lists)
            if missing:
                failures.append(f"{asked.name}: {made.failure or f'{missing} stimuli without a response'}")
        answers.tell()
    return lists, failures


def _detector(place: str) -> Detector:
    """The shipped detector, a trained one, or one that custom code makes."""
    from dialeval.consistency.detecting.metrics import ContradictionDetector
    from dialeval.core import Detector
    from dialeval.errors import Unsuitable
    from dialeval.files.custom_code import load_code

    if ".py:" not in place:
        return ContradictionDetector(place)
    made = load_code(place, Path.cwd()).thing
    detector = made() if isinstance(made, type) or not isinstance(made, Detector) else made
    if not isinstance(detector, Detector):
        raise Unsuitable(
            f"{place} is not a Detector: it needs a signature and contradiction(contexts, responses)."
        )
    return detector


def _sizes(text: str) -> list[int]:
    parts = text.replace(" ", "").split(",")
    if not all(part.isdigit() and int(part) for part in parts):
        raise typer.BadParameter(f"--sizes {text!r}; expected whole numbers as in 1,2,5,10")
    return sorted({int(part) for part in parts})


def _leave(failures: Sequence[str]) -> None:
    from dialeval.errors import RunFailed

    for failure in failures[1:]:
        print(f"warning: {failure}", file=sys.stderr)
    if failures:
        raise RunFailed(f"Some lists are missing. {failures[0]}")
