"""Systems' mean ratings estimated from few ratings, and combinations of measures."""
