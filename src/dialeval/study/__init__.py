"""The main job: from a ``study.yaml`` to a run folder.

study = load_study(Path("study.yaml"))
run = run_study(study, workshop)
write_run(run, Path("runs/mine"))
"""

from dialeval.evaluation.measure import Respondent, Tools
from dialeval.study.file import Study, load_study
from dialeval.study.folder import LoadedRun, load_run, write_run
from dialeval.study.gates import Gate, GateOutcome, parse_gate
from dialeval.study.manifest import Circumstances
from dialeval.study.measures import MEASURES, Measure, build_measure
from dialeval.study.run import Failure, Run, Scored, Workshop, check_gates, run_study
from dialeval.study.sides import compare_sides, open_sides, shared_resampling, shared_statuses
from dialeval.study.summary import number

__all__ = [
    "MEASURES",
    "Circumstances",
    "Failure",
    "Gate",
    "GateOutcome",
    "LoadedRun",
    "Measure",
    "Respondent",
    "Run",
    "Scored",
    "Study",
    "Tools",
    "Workshop",
    "build_measure",
    "check_gates",
    "compare_sides",
    "load_run",
    "load_study",
    "number",
    "open_sides",
    "parse_gate",
    "run_study",
    "shared_resampling",
    "shared_statuses",
    "write_run",
]
