"""``dialeval nlg generate``: sentences for acts, from a generator of 'dialeval train nlg'."""

from __future__ import annotations

import json as jsonlib
import sys
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dialeval.cli.options import Json, Limit, Seed
from dialeval.cli.parsing.parameters import BadUsage
from dialeval.data.codec.sources import file_of
from dialeval.errors import DialevalError
from dialeval.files.atomic import write_atomically
from dialeval.nlg.acts.files import read_acts, read_splits, split_source
from dialeval.nlg.generators.system import Nlg, context_of, lines
from dialeval.options import Argument, Option
from dialeval.resources.device import find_device
from dialeval.systems.decoding import Decoding, context_seed
from dialeval.text.calls import split_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dialeval.nlg.acts.files import ActItem


def generate(
    model: Annotated[
        Path, Argument(metavar="MODEL", help="A generator's folder, as 'dialeval train nlg' wrote it.")
    ],
    acts: Annotated[
        str,
        Argument(
            metavar="ACTS",
            help="Lines with acts, or rnnlg:FILE, dstc2:FILE, e2e:FILE, frames:FILE; - for stdin.",
        ),
    ],
    out: Annotated[Path, Option("--out", "-o", help="Write n-best lists here, a line for each act.")],
    n: Annotated[int, Option("--n", min=1, help="Sentences for each act, best first.")] = 5,
    beams: Annotated[
        int,
        Option(
            "--beams",
            min=1,
            help="Sentences to generate or draw for each act before the best are chosen; at least N.",
        ),
    ] = 10,
    penalty: Annotated[
        float, Option("--penalty", min=0, help="Weight of slot errors in the ranking of sentences.")
    ] = 100.0,
    retry: Annotated[
        int,
        Option(
            "--retry",
            min=1,
            help="If the best sentence has slot errors, search again with this many times the beams; 1 for no.",
        ),
    ] = 5,
    decoding: Annotated[
        str,
        Option(
            "--decoding",
            help="How sentences are generated, as in 'beam(length_penalty=0)' or 'nucleus(top_p=0.9)', which draws.",
        ),
    ] = "beam",
    device: Annotated[
        str, Option("--device", metavar="NAME", help="Where to run: auto, cpu, cuda, cuda:1 or mps.")
    ] = "auto",
    seed: Seed = 0,
    limit: Limit = None,
    json: Json = False,
) -> None:
    """Put dialogue acts into words; sentences with the fewest slot errors come first.

    From a folder with a test split, the acts of that split are used.

    Example: dialeval nlg generate my-nlg rnnlg:data/restaurant/test.json -o sentences.jsonl --n 5
    """
    items = list(islice(_items(acts), limit))
    search = _search(decoding, max(beams, n))
    find_device(device)  # a name that is wrong is worth knowing before the model is read
    system = Nlg(model.resolve().name, model, search, penalty, retry, samples=max(beams, n), device=device)
    seeds = [context_seed(seed, context_of(item)) for item in items]
    written = system.write([item.meaning for item in items], n=n, seeds=seeds)
    write_atomically(out, lines(items, system.name, written), follow=True)
    facts = {
        "acts": len(items),
        "sentences": sum(map(len, written)),
        "slots": sum(len(act.slots) for item in items for act in item.meaning),
        "slot_errors": sum(sentences[0].errors for sentences in written if sentences),
        "signature": str(system.signature),
    }
    if json:
        print(jsonlib.dumps({**facts, "out": str(out)}))
        return
    print(f"{facts['sentences']:,} sentences for {facts['acts']:,} acts in {out}")
    print(
        f"Slot errors of the best ones, as reranking counts: {facts['slot_errors']:,} of {facts['slots']:,} slots"
    )
    print(f"Score them: dialeval nlg score {out}", file=sys.stderr)


def _search(text: str, sentences: int) -> Decoding:
    """The decoding of that text, with so many beams and up to 80 tokens unless it says otherwise."""
    try:
        given = Decoding.parse(text)
    except DialevalError as error:
        raise BadUsage(str(error), where="--decoding") from None
    stated = dict(split_call(text).parameters)
    if "beams" not in stated and given.method in ("beam", "diverse_beam"):
        given = replace(given, beams=sentences)
    return given if given.max_tokens is not None else replace(given, max_tokens=80)


def _items(acts: str) -> Iterator[ActItem]:
    _, path = split_source(acts)
    if str(path) != "-" and file_of(path).is_dir():
        splits = read_splits(acts)
        if "test" in splits:
            return iter(splits["test"])
    return read_acts(acts)
