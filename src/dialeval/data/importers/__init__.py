"""Readers of other tools' formats, one file each; ``dialeval.data.formats`` lists them."""
