"""Labels of why false candidates are false."""
