"""Tables, plots and pages of n-best evaluation."""
