"""How many items, raters and systems the next study needs."""
