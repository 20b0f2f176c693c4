"""Planning of the next study: numbers of items, raters and systems."""
