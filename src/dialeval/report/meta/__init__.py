"""How measures and people agree: tables, plots and a page from a folder that ``dialeval meta`` wrote.

Its names for the outside are those of ``dialeval.report``; a run's own summary and page are made of the same parts.
"""
