"""Readers of other people's formats, one file each; ``dialeval.data.formats`` lists them."""
