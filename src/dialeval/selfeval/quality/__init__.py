"""``quality``: the scorer we recommend for responses and dialogues without references.

``turn_features`` and ``dialogue_features`` are small functions with a direction each; ``rows`` computes them for many
subjects at once; a ``Head`` weighs them; ``fitting`` learns the weights from rated subjects, none of which may point
against its feature's direction.
"""
