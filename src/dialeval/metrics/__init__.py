"""Measures of single responses, and of all of a system's responses together; `dialeval.catalogue` names them."""
