"""Words, n-grams, subsequences and lexical search over plain strings: nothing here knows of dialogue."""
