"""Agreement among raters, and dropping of raters."""
