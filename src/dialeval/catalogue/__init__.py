"""The catalogue: every metric, system and task by name, each imported when it is first asked for.

``METRICS["rouge_l"]`` is a class, ``build("bleu(order=2)")`` an object; names can be listed without importing anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.catalogue.building import build_system
    from dialeval.catalogue.metrics import (
        CORPUS_MEASURES,
        DEFAULT_METRICS,
        EVERY,
        EVERY_METRIC,
        METRICS,
        build,
        build_any,
        summary,
    )
    from dialeval.catalogue.scores import score
    from dialeval.catalogue.systems import SYSTEMS
    from dialeval.catalogue.tasks import TASKS
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "CORPUS_MEASURES",
    "DEFAULT_METRICS",
    "EVERY",
    "EVERY_METRIC",
    "METRICS",
    "SYSTEMS",
    "TASKS",
    "build",
    "build_any",
    "build_system",
    "score",
    "summary",
]
