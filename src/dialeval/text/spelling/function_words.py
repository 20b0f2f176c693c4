"""Words that any two utterances may share whatever they are about (English)."""

from __future__ import annotations

from typing import Final

_LISTED: Final = """
a an the this that these those some any each every either neither both all such other another much many more most few
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our
ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything nobody nothing none who whom whose which what when where why how
am is are was were be been being do does did done doing have has had having will would shall should can could may might
must ought cannot gonna gotta wanna let
and or but nor so yet if unless until while because since though although as than then whether however
of in on at by for with about against between into through during before after above below to from up down out off over
under again per via within without upon around among across behind beyond toward towards near like
not no yes yeah yep yup nope oh ah aha uh um hm hmm huh eh well okay ok ay hey wow right sure really just only very too
also even still already ever never always here there now quite rather maybe perhaps
im ive youre youve hes shes theyre weve thats whats wheres hows lets theres heres id youll theyll
"""
PLAIN_WORDS: Final = frozenset(_LISTED.split())
"""Pronouns, articles, auxiliaries, prepositions, conjunctions, words of asking, adverbs of degree, and the small words
that open a turn."""
