"""How measures and people agree: tables, plots and a page from a folder that ``dialeval meta`` wrote.

``render_meta`` writes the page; ``view`` is what it shows, for a run's own page too; ``print_meta`` is for terminals.
"""

from dialeval.report.meta.document import Document
from dialeval.report.meta.page import View, read_document, render_meta, view
from dialeval.report.meta.points import Points, read_points
from dialeval.report.meta.terminal import print_meta
from dialeval.report.meta.verdict import headline, verdict

__all__ = [
    "Document",
    "Points",
    "View",
    "headline",
    "print_meta",
    "read_document",
    "read_points",
    "render_meta",
    "verdict",
    "view",
]
