"""From the words of a command line to a call of the function of a verb, and to its help.

A verb is a function whose parameters are declared in its signature, as in ``seed: Annotated[int, Option("--seed",
min=0)] = 0``. `dialeval.cli.verbs` names all verbs; only the one that is called is imported.
"""
