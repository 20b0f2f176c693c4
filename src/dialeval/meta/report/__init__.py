"""Tables, plots and the page of a folder that ``dialeval meta`` wrote."""
