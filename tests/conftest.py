"""Settings of every test; the fixtures that several folders use are in ``support``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "support.command",
    "support.corpora",
    "support.encoders",
    "support.faults",
    "support.network",
    "support.postgres",
    "support.rating_studies",
    "support.rating_pages",
    "support.rated_corpora",
    "support.ray_starting",
    "support.run_folders",
    "support.skips",
]

# Tests run in parallel processes: more threads in each would only get in each other's way.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

# A busy machine is slow, and that is not the fault of the code under test.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
