"""Judgements by people and by measures in one table: reading, scales, votes and agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.ratings.agreement import (
        CriterionAgreement as CriterionAgreement,
        agreement_of as agreement_of,
        with_flags as with_flags,
    )
    from dialeval.ratings.agreement_document import agreement_json as agreement_json
    from dialeval.ratings.checks import Repeats as Repeats, located as located
    from dialeval.ratings.exclusion import (
        Dropped as Dropped,
        LeftOutRater as LeftOutRater,
        drop_raters as drop_raters,
        read_dropped as read_dropped,
        without_raters as without_raters,
        write_dropped as write_dropped,
    )
    from dialeval.ratings.joined import Joined as Joined
    from dialeval.ratings.raters import (
        Qualification as Qualification,
        RaterAgreement as RaterAgreement,
        gold_answers as gold_answers,
        qualify as qualify,
    )
    from dialeval.ratings.scale import Cut as Cut, RatingScale as RatingScale
    from dialeval.ratings.table import (
        Ratings as Ratings,
        read_judgements as read_judgements,
        unvetted_notes as unvetted_notes,
    )
    from dialeval.ratings.votes import (
        AtLeast as AtLeast,
        Collapse as Collapse,
        Count as Count,
        DropIf as DropIf,
        Else as Else,
        Fewer as Fewer,
        Majority as Majority,
        Mean as Mean,
        Median as Median,
        Then as Then,
        Unanimous as Unanimous,
        aggregate as aggregate,
    )
else:
    __getattr__ = lazily(__name__, __file__)
