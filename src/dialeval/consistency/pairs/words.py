"""Word lists of the rules: opposites, kinship, numbers, and a few names of places and people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _both_ways(pairs: str) -> Mapping[str, str]:
    """A table from each word of ``a:b`` to the other, the first entry of a word counting."""
    table: dict[str, str] = {}
    for entry in pairs.split():
        one, _, other = entry.partition(":")
        table.setdefault(one, other)
        table.setdefault(other, one)
    return table


ANTONYMS: Final = _both_ways(
    """
love:hate like:dislike loves:hates likes:dislikes loved:hated liked:disliked enjoy:dread enjoyed:dreaded
good:bad great:terrible best:worst better:worse happy:sad big:small large:tiny old:young hot:cold warm:cool
easy:difficult hard:easy early:late fast:slow rich:poor expensive:cheap strong:weak tall:short long:short
high:low new:old clean:dirty quiet:loud safe:dangerous healthy:sick married:single employed:unemployed
full:empty open:closed alive:dead awake:asleep beautiful:ugly boring:exciting interesting:boring busy:free
delicious:disgusting friendly:hostile funny:serious fresh:stale famous:unknown far:near heavy:light
inside:outside indoors:outdoors first:last many:few more:less most:least remember:forget remembered:forgot
buy:sell bought:sold win:lose won:lost start:stop started:stopped begin:end arrive:leave arrived:left
passed:failed pass:fail accept:refuse accepted:refused agree:disagree hired:fired found:lost
morning:evening day:night winter:summer spring:autumn monday:friday saturday:tuesday weekend:weekdays
vegan:carnivore vegetarian:carnivore city:countryside north:south east:west black:white
everyone:nobody everything:nothing someone:nobody something:nothing anything:nothing everywhere:nowhere
with:without before:after yesterday:tomorrow together:alone rarely:often seldom:often
lucky:unlucky possible:impossible able:unable afraid:unafraid comfortable:uncomfortable true:false real:fake
excited:bored nervous:calm proud:ashamed allergic:immune single:married retired:working local:foreign
"""
)
"""Everyday words and their opposites, both ways."""

GENDERED: Final = _both_ways(
    """
brother:sister brothers:sisters son:daughter sons:daughters father:mother dad:mom husband:wife boyfriend:girlfriend
uncle:aunt nephew:niece grandfather:grandmother grandpa:grandma boy:girl boys:girls man:woman men:women he:she
him:her his:her himself:herself king:queen cat:dog cats:dogs parents:children
"""
)
"""People and pets, and others with whom they are not the same, both ways."""

NUMBERS: Final = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twelve",
    "twenty",
    "fifty",
)

_PLACES: Final = """
London Paris Boston Chicago Texas California Florida Canada Mexico Japan China Germany France Italy Spain England
Ireland Australia India Brazil Seattle Denver Atlanta Dallas Houston Miami Toronto Berlin Rome Tokyo Alaska Hawaii
Colorado Oregon Michigan Ohio Georgia Virginia Arizona Nevada Europe Africa Asia America Russia Korea Sweden Norway
Scotland Greece Egypt Portland Philadelphia Detroit Vegas
"""
_NAMES: Final = """
John Mary Tom Anna Mike Sarah David Emma James Lisa Peter Laura Mark Julia Paul Kate Steve Jane Bob Alice Jack Emily
Sam Rachel George Susan Ben Linda Tim Nancy Dan Amy Bill Helen Joe Karen Max Bella Buddy Luna
"""
PLACES: Final = tuple(_PLACES.split())
NAMES: Final = tuple(_NAMES.split())
