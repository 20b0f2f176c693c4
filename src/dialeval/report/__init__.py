"""Tables, plots and pages from a run folder. Nothing is computed here: a report only renders.

``render`` writes the one-file HTML report; ``leaderboard`` is the table that ``print_leaderboard`` puts on a terminal
and ``markdown`` in a document. ``render_meta``, ``print_meta`` and ``agreement`` do the same for measures and people,
``render_asked`` and ``print_asked`` for what systems chose.
"""

from dialeval.report.folder import Folder, read_folder, read_summary
from dialeval.report.manifest import FileDigest, Manifest, Trace
from dialeval.report.meta.document import Document
from dialeval.report.meta.page import read_document, render_meta
from dialeval.report.meta.tables import agreement
from dialeval.report.meta.terminal import print_meta
from dialeval.report.page import render
from dialeval.report.selection.document import AskedDocument
from dialeval.report.selection.page import read_asked, render_asked
from dialeval.report.selection.terminal import print_asked
from dialeval.report.summary import Comparison, Failure, Gate, MeasureInfo, Score, Summary, SystemInfo
from dialeval.report.table import Cell, Column, Table, markdown
from dialeval.report.tables import comparisons, failures, gates, leaderboard, unscored
from dialeval.report.terminal import print_leaderboard, print_table
from dialeval.report.verdict import verdict

__all__ = [
    "AskedDocument",
    "Cell",
    "Column",
    "Comparison",
    "Document",
    "Failure",
    "FileDigest",
    "Folder",
    "Gate",
    "Manifest",
    "MeasureInfo",
    "Score",
    "Summary",
    "SystemInfo",
    "Table",
    "Trace",
    "agreement",
    "comparisons",
    "failures",
    "gates",
    "leaderboard",
    "markdown",
    "print_asked",
    "print_leaderboard",
    "print_meta",
    "print_table",
    "read_asked",
    "read_document",
    "read_folder",
    "read_summary",
    "render",
    "render_asked",
    "render_meta",
    "unscored",
    "verdict",
]
