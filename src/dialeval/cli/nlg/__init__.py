"""``dialeval nlg``: sentences from dialogue acts, and their slot errors."""
