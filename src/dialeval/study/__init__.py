"""The main job: from a ``study.yaml`` to a run folder.

study = load_study(Path("study.yaml"))
run = run_study(study, workshop)
content = write_run(run, Path("runs/mine"))
write_page(content, Path("runs/mine"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.engine import Workshop
    from dialeval.evaluation.measure import Measure, Respondent, Tools
    from dialeval.study.document import Content, Failure, GateOutcome, Manifest, Summary
    from dialeval.study.file import Study, compose_study, load_study, named_system
    from dialeval.study.folder import read_manifest, read_run, read_summary, render, write_page, write_run
    from dialeval.study.gates import Gate, check_gates, parse_gate
    from dialeval.study.loading import LoadedRun, load_run
    from dialeval.study.measures import build_measure
    from dialeval.study.provenance import Circumstances
    from dialeval.study.run import Run, run_study
    from dialeval.study.scores import SystemResult
    from dialeval.study.sides import (
        Claim,
        compare_sides,
        open_sides,
        shared_claim,
        shared_resampling,
        shared_statuses,
    )
else:
    __getattr__ = lazily(__name__, __file__)

__all__ = [
    "Circumstances",
    "Claim",
    "Content",
    "Failure",
    "Gate",
    "GateOutcome",
    "LoadedRun",
    "Manifest",
    "Measure",
    "Respondent",
    "Run",
    "Study",
    "Summary",
    "SystemResult",
    "Tools",
    "Workshop",
    "build_measure",
    "check_gates",
    "compare_sides",
    "compose_study",
    "load_run",
    "load_study",
    "named_system",
    "open_sides",
    "parse_gate",
    "read_manifest",
    "read_run",
    "read_summary",
    "render",
    "run_study",
    "shared_claim",
    "shared_resampling",
    "shared_statuses",
    "write_page",
    "write_run",
]
