"""SelF-Eval turn by turn: a small network on vectors of single turns, which a frozen encoder makes once for all uses.

Replacing a turn costs nothing once it is encoded, so the network meets a hundred times the replacements that an encoder
that reads whole dialogues could be trained on in the same time. ``network`` needs no torch.
"""
