"""Tables, plots and the page of a run folder. Nothing is computed here: a report only renders."""
