"""``quality``: the scorer we recommend for responses and dialogues without references.

``features`` are small functions with a direction each; a ``Head`` weighs them; ``trainer`` learns the weights from
rated subjects, none of which may point against its feature's direction.
"""
