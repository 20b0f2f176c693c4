"""The weights that ``quality`` ships: ``python -m bench.train_quality`` fits them to the development sets.

``--lm`` fits the recipes that ask the language model too, on the first ``--asked`` subjects of each set, with values of
`follow_ups` that ``--cache`` has or will have. ``--fits`` instead adds the recipes that ask the cross-encoder to what
OUT has, where follow-ups keep their weight. ``--resamples N`` writes heads of sets drawn
again with replacement, to see how the numbers move; ``--without FEATURE`` prints the agreement without it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from bench.scorers.scores import FOLDER, scores_of
from bench.scorers.sets import RatedSet, read_set
from dialeval.catalogue import build
from dialeval.core import Floats
from dialeval.data import Dialogue, Turn
from dialeval.encoder.model import unit_vectors
from dialeval.selfeval.metric import SHIPPED
from dialeval.selfeval.quality.features import FITS, LM_FEATURES, feature_rows, recipe_name
from dialeval.selfeval.quality.metric import FILE, Head, find_head, why_unscorable, write_heads
from dialeval.selfeval.quality.trainer import RatedSet as SetOfRatings, TrainedHeads, train, write_quality
from dialeval.selfeval.subjects import Subject

SETS: Final[Mapping[str, int | None]] = {
    "multirefeval": None,
    "predictive-engagement": None,
    "ji2022": 400,
    "spot-the-bot-convai2": 200,
    "spot-the-bot-dailydialog": 200,
    "spot-the-bot-empathetic": 200,
    "convai2-human-eval": 250,
    "convai2-unnamed": 200,
}
"""How many of the subjects of each set are learnt from."""
ASKED: Final = ("multirefeval", "predictive-engagement", "ji2022", "convai2-human-eval")
"""The sets on whose first subjects the language model is asked."""
ROLES: Final = {"participant1": "user", "participant2": "assistant"}


def main(arguments: Sequence[str]) -> None:
    """Fit the heads, print how they agree with ratings left out, and write them."""
    parser = argparse.ArgumentParser(prog="python -m bench.train_quality", description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=SHIPPED / "quality")
    parser.add_argument("--lm", action="store_true")
    parser.add_argument("--fits", action="store_true")
    parser.add_argument("--asked", type=int, default=64)
    parser.add_argument("--cache", type=Path, default=FOLDER)
    parser.add_argument("--resamples", type=int, default=0)
    parser.add_argument(
        "--without", action="append", default=[], help="a feature to compare with being left out"
    )
    given = parser.parse_args(arguments)
    memory = Memory()
    sets = [_rated(read_set(name).first(limit)) for name, limit in SETS.items()]
    if given.fits:
        _add_fits(given.out, sets, memory)
        return
    trained = train(sets, rows=memory.rows)
    heads = dict(trained.heads)
    agreement = list(trained.agreement)
    if given.lm:
        few = [read_set(name).first(given.asked) for name in ASKED]
        memory.ask(few, given.cache)
        asked = train([_rated(rated) for rated in few], lm=True, rows=memory.rows)
        heads |= {f"{kind}+lm": _joined(heads[kind], asked.heads[f"{kind}+lm"]) for kind in trained.heads}
        agreement += [row for row in asked.agreement if row.recipe.endswith("+lm")]
    trained = TrainedHeads(heads, tuple(agreement))
    _print(trained)
    for feature in given.without:
        print(f"without {feature}:")
        _print(train([_blinded(rated, feature) for rated in sets], rows=memory.rows))
    write_quality(given.out, trained, sets, "python -m bench.train_quality" + " --lm" * given.lm)
    for number in range(given.resamples):
        _write_resample(given.out / f"resample-{number}", sets, memory, number)


def _add_fits(out: Path, sets: Sequence[SetOfRatings], memory: Memory) -> None:
    """Write the heads that OUT has again, with those that ask the cross-encoder."""
    file = find_head(out / FILE)
    trained = train(sets, fits=True, rows=memory.rows)
    _print(trained)
    heads = {name: file.head(name) for name in sorted(file.recipes) if FITS not in name}
    for kind in ("turn", "dialogue"):
        fits, both = (recipe_name(kind, fits=True, lm=lm) for lm in (False, True))
        heads[fits] = trained.heads[fits]
        heads[both] = _joined(trained.heads[fits], heads[recipe_name(kind, lm=True)])
    write_quality(out, TrainedHeads(heads, trained.agreement), sets, "python -m bench.train_quality --fits")


def _print(trained: TrainedHeads) -> None:
    for row in trained.agreement:
        print(f"{row.recipe:17} {row.name:26} {row.count:4} {row.spearman:6.3f} {row.how}")


def _blinded(rated: SetOfRatings, feature: str) -> SetOfRatings:
    """The set as if that feature were unknown of all subjects, so that it gets no weight."""
    return replace(rated, without=(*rated.without, feature))


class Memory:
    """Vectors of texts and answers of the language model, kept between recipes."""

    def __init__(self) -> None:
        self.units: dict[str, Floats] = {}
        self.answers: dict[tuple[str, str, str], float] = {}

    def rows(self, subjects: Sequence[Subject], names: Sequence[str]) -> Floats:
        """The features of these names, one row per subject."""
        if FITS in names:
            self.read(subjects)
        plain = [name for name in names if name not in (FITS, *LM_FEATURES)]
        rows = np.empty((len(subjects), len(names)))
        for column, values in zip(plain, feature_rows(subjects, plain, self.encode).T, strict=True):
            rows[:, names.index(column)] = values
        for name in set(names) - set(plain):
            rows[:, names.index(name)] = [
                self.answers.get((name, subject.item, subject.system), np.nan) for subject in subjects
            ]
        return rows

    def encode(self, texts: set[str]) -> Mapping[str, Floats]:
        """Unit vectors by text."""
        new = sorted(texts - self.units.keys())
        for start in range(0, len(new), 2000):
            self.units |= unit_vectors(new[start : start + 2000], "minilm")
            print(f"\r{len(self.units)} texts ", end="", file=sys.stderr)
        return self.units

    def read(self, subjects: Sequence[Subject]) -> None:
        """Ask the cross-encoder about the subjects that it has not seen."""
        new = [subject for subject in subjects if (FITS, subject.item, subject.system) not in self.answers]
        for subject, value in zip(new, feature_rows(new, [FITS], self.encode)[:, 0], strict=True):
            self.answers[FITS, subject.item, subject.system] = float(value)

    def ask(self, sets: Sequence[RatedSet], cache: Path) -> None:
        """Take the language model's values from the cache, or compute them."""
        for rated in sets:
            for name in LM_FEATURES:
                for key, value in zip(rated.keys, scores_of(build(name), rated, cache), strict=True):
                    self.answers[name, *key] = float(value)


def _joined(plain: Head, asked: Head) -> Head:
    """The weights of the plain recipe, which was fitted to more ratings, beside those of what was asked."""
    new = [place for place, name in enumerate(asked.names) if name not in plain.names]
    parts = [
        np.concatenate([getattr(plain, part), getattr(asked, part)[new]])
        for part in ("centre", "scale", "weight")
    ]
    return Head((*plain.names, *(asked.names[place] for place in new)), *parts)


def _rated(rated: RatedSet) -> SetOfRatings:
    chosen = [place for place, subject in enumerate(rated.subjects) if why_unscorable(subject) is None]
    subjects = tuple(_with_roles(rated.subjects[place]) for place in chosen)
    without = ("reaction",) if rated.name.startswith("spot-the-bot") else ()
    return SetOfRatings(rated.name, subjects, rated.ratings[chosen], without)


def _with_roles(subject: Subject) -> Subject:
    """The unnamed bots of ConvAI2 are participant 2: its words fit the bot's profile 1,427 times, the user's 122."""
    if not isinstance(subject, Dialogue):
        return subject
    turns = tuple(Turn(ROLES.get(turn.speaker, turn.speaker), turn.text) for turn in subject.turns)
    return Dialogue(subject.item, turns, subject.system)


def _write_resample(folder: Path, sets: Sequence[SetOfRatings], memory: Memory, seed: int) -> None:
    """Heads of sets whose subjects were drawn with replacement."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [_drawn(rated, np.random.default_rng([seed, number])) for number, rated in enumerate(sets)]
    write_heads(folder / FILE, train(drawn, rows=memory.rows).heads)


def _drawn(rated: SetOfRatings, generator: np.random.Generator) -> SetOfRatings:
    places = generator.integers(0, len(rated.subjects), len(rated.subjects))
    subjects = tuple(rated.subjects[place] for place in places)
    return SetOfRatings(rated.name, subjects, rated.ratings[places], rated.without)


if __name__ == "__main__":
    main(sys.argv[1:])
