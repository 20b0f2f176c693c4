"""Pages, plots and tables of what systems chose, from the folder that ``dialeval select ask`` writes."""
