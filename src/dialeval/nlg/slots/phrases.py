"""General English about slots: what prices, ratings, places and yes-or-no properties are also called.

Nothing here belongs to one domain: a group applies to every slot whose name holds one of its words. A file of aliases
adds to these (`dialeval.nlg.slots.lexicon`).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Synonyms(NamedTuple):
    """Values that mean the same in slots of one kind, and other words for them."""

    slots: frozenset[str]
    """Words of the slot's name, one of which it must have."""
    values: tuple[str, ...]
    """Values, ``less than #``, ``more than #`` and ``#-#`` standing for any numbers."""
    phrases: tuple[str, ...]


_PRICE: Final = frozenset({"price", "cost"})
_RATING: Final = frozenset({"rating", "rate", "review", "score", "star"})
_AREA: Final = frozenset({"area", "location", "region"})

SYNONYMS: Final = (
    Synonyms(
        _PRICE,
        ("cheap", "low", "budget", "inexpensive", "less than #"),
        (
            "cheap",
            "low price",
            "low priced",
            "low cost",
            "lower price",
            "inexpensive",
            "budget",
            "affordable",
            "low rate",
            "not expensive",
        ),
    ),
    Synonyms(
        _PRICE,
        ("moderate", "medium", "mid", "average", "#-#"),
        (
            *(
                "moderate",
                "moderate price",
                "moderate priced",
                "mid price",
                "mid priced",
                "mid range",
                "average price",
            ),
            *("average priced", "medium price", "medium priced", "reasonable price", "reasonable priced"),
        ),
    ),
    Synonyms(
        _PRICE,
        ("expensive", "high", "more than #"),
        (
            "expensive",
            "high price",
            "high priced",
            "higher price",
            "higher priced",
            "pricey",
            "costly",
            "upmarket",
            "high end",
        ),
    ),
    Synonyms(frozenset({"ampm", "meridiem"}), ("am",), ("in the morning", "morning")),
    Synonyms(
        frozenset({"ampm", "meridiem"}),
        ("pm",),
        ("in the afternoon", "in the evening", "afternoon", "evening", "tonight", "at night"),
    ),
    Synonyms(
        _RATING,
        ("low", "poor", "1 out of 5"),
        (
            *(
                "1 out of 5",
                "1 of 5",
                "1 star",
                "low rating",
                "low customer rating",
                "low rated",
                "poor rating",
            ),
            *(
                "poorly rated",
                "bad rating",
                "rated low",
                "rating is low",
                "rated poorly",
                "poor customer rating",
            ),
        ),
    ),
    Synonyms(
        _RATING,
        ("average", "3 out of 5"),
        (
            *("3 out of 5", "3 of 5", "3 star", "average rating", "average customer rating", "average rated"),
            *(
                "rated average",
                "rating is average",
                "decent rating",
                "mediocre rating",
                "decent customer rating",
            ),
        ),
    ),
    Synonyms(
        _RATING,
        ("high", "excellent", "5 out of 5"),
        (
            *(
                "5 out of 5",
                "5 of 5",
                "5 star",
                "high rating",
                "high customer rating",
                "high rated",
                "well rated",
            ),
            *("rated high", "rating is high", "excellent rating", "top rated", "excellent customer rating"),
        ),
    ),
    Synonyms(
        _AREA,
        ("city centre", "centre", "town centre", "citycentre"),
        (
            *("city centre", "town centre", "centre of the city", "centre of town", "centre of the town"),
            *(
                "centre of city",
                "middle of the city",
                "heart of the city",
                "centre area",
                "in the centre",
                "downtown",
            ),
        ),
    ),
    Synonyms(
        _AREA,
        ("riverside", "river"),
        (
            "riverside",
            "river side",
            "by the river",
            "near the river",
            "along the river",
            "on the river",
            "riverbank",
        ),
    ),
)


class Concept(NamedTuple):
    """Words for a property that a thing has or lacks."""

    names: frozenset[str]
    """Words of the slot's name, one of which it must have."""
    phrases: tuple[str, ...]
    opposites: tuple[str, ...] = ()
    """Phrases that say that the thing lacks it."""


CONCEPTS: Final = (
    Concept(
        frozenset({"kid", "child", "family"}),
        ("kid", "child", "family", "toddler", "baby"),
        ("adult", "grown up", "over 18"),
    ),
    Concept(frozenset({"dog", "pet"}), ("dog", "pet", "puppy", "animal")),
    Concept(frozenset({"internet", "wifi", "wi"}), ("internet", "wifi", "wi fi", "wireless")),
    Concept(frozenset({"credit", "card"}), ("card", "credit card"), ("cash only",)),
    Concept(
        frozenset({"business"}),
        ("business",),
        (
            "nonbusiness",
            "home use",
            "personal use",
            "personal computing",
            "home computing",
            "general use",
            "general computing",
        ),
    ),
    Concept(frozenset({"stock"}), ("stock",), ("out of stock", "sold out", "backordered")),
    Concept(frozenset({"parking"}), ("parking", "car park")),
    Concept(frozenset({"smoking", "smoke"}), ("smoking", "smoke", "smoker")),
    Concept(
        frozenset({"outdoor", "outside", "patio"}), ("outdoor", "outside", "terrace", "patio"), ("indoor",)
    ),
    Concept(
        frozenset({"takeaway", "takeout", "takes", "take"}), ("takeaway", "take away", "takeout", "take out")
    ),
    Concept(
        frozenset({"wheelchair", "accessible", "accessibility"}), ("wheelchair", "accessible", "step free")
    ),
)

_FILLERS: Final = (
    "has have is are for allow allowed accept accepts friendly of the a serves serve offers offer good in "
    "on to number num no available availability can be with and or type option"
)
FILLERS: Final = frozenset(_FILLERS.split())
"""Words of slots' names that say nothing by themselves."""
_PARTS: Final = (
    "family kid kids child children dog dogs pet pets internet wifi credit card cards business computing "
    "usb port ports price range rating battery screen size drive weight eco power consumption hdmi meal "
    "customer food eat near area free parking smoking outdoor music phone post code address name "
    "departure arrival time stop line direction duration distance transfers date city event party "
    "restaurant hotel movie theater show seats book people stay day days night nights guest guests room rooms "
    "star stars leave arrive at by entrance fee open hours train taxi bus reference check out online booking"
)
PARTS: Final = FILLERS | frozenset(_PARTS.split())
"""Words into which slots' names without spaces are split, beside those of the texts."""
SAID_AS: Final = {
    "price": ("price", "priced", "cost", "pricing"),
    "rating": ("rating", "rated", "rate", "star"),
    "food": ("food", "cuisine"),
    "area": ("area", "part", "location", "located"),
    "phone": ("phone", "telephone", "number"),
    "addr": ("address",),
    "postcode": ("postcode", "postal", "zip"),
    "meal": ("meal",),
    "processor": ("processor", "cpu"),
    "memory": ("memory", "ram"),
    "people": ("people", "person", "guest"),
    "stay": ("stay", "night"),
}
"""Other words that show which slot a value belongs to."""

_AFTER: Final = "not cannot prohibited unwelcome banned unsuitable unavailable forbidden"
AFTER: Final = frozenset(_AFTER.split())
"""Words that deny what stands before them."""
_LINKS: Final = (
    "in near at on by from to of with the a an be have has serve serving offer offering located situated part area "
    "close next very food cuisine provide providing include including sell selling work working any our"
)
LINKS: Final = frozenset(_LINKS.split())
"""Words that may stand between a denial and the value that it denies."""
QUALIFIERS: Final = frozenset(
    {"for", "that", "which", "with", "used", "designed", "meant", "suitable", "where"}
)
"""Words after a value that may be what a denial is about: "not a pub for kids"."""
EXCEPTIONS: Final = frozenset({"except", "besides", "other"})
"""Words that take a denial back: "not pubs except this one"."""
CONTRAST: Final = frozenset(
    {"but", "and", "however", "although", "though", "while", "that", "which", "where", "who"}
)
"""Words at which a denial ends: "I did not find any that allow kids" denies nothing of kids."""
_DEGREES: Final = (
    "high low average moderate medium cheap expensive good bad poor excellent exceptional standard small large big "
    "light heavy short long budget"
)
DEGREES: Final = frozenset(_DEGREES.split())
"""Words that many slots share, so that only the slot's name beside them shows what they say."""
_INDIFFERENT: Final = (
    "any regardless whatever either whether irrelevant flexible anything anywhere unimportant unconcerned "
    "all various every ignoring variety varied optional"
)
INDIFFERENT: Final = frozenset(_INDIFFERENT.split())
"""Words that say that a value does not matter; so do denials of the words below."""
_DENIED_CARE: Final = (
    "care matter mind preference important concerned particular prefer issue priority concern specific restriction "
    "considering consideration factor requirement required criteria limit limited"
)
DENIED_CARE: Final = frozenset(_DENIED_CARE.split())
ABSENT: Final = frozenset(
    {"unknown", "unavailable", "sorry", "unable", "nothing", "lack", "zero", "unfortunately", "0"}
)
"""Words that say that there is none; so do denials."""
ARTICLES: Final = frozenset({"a", "an", "the", "i", "it"})
"""Values that are also words of any sentence, such as the eco rating a: they count beside the slot's name only."""
_POSSIBLE: Final = "available offered provided possible allowed permitted accepted welcome supported"
_NEVER: Final = "unavailable forbidden prohibited banned"
POSSIBLE: Final = frozenset(_POSSIBLE.split())
"""Values that say yes of the property that the slot names: gift_wrapping=available."""
IMPOSSIBLE: Final = frozenset({*_NEVER.split(), *(f"not {word}" for word in POSSIBLE)})
"""Values that say no of it."""
_INCLUDED: Final = "included include inclusive including includes complimentary free with"
_REQUIRED: Final = "required require needed need necessary mandatory compulsory obligatory must"
CONDITIONS: Final = {
    **dict.fromkeys(("included", "inclusive"), frozenset(_INCLUDED.split())),
    **dict.fromkeys(
        ("required", "needed", "necessary", "mandatory", "compulsory"), frozenset(_REQUIRED.split())
    ),
}
"""Values that say more than yes, each with the words one of which a sentence must have: breakfast=included."""
UNCONDITIONAL: Final = frozenset({"excluded", *(f"not {word}" for word in CONDITIONS)})
"""Values that say no of it."""
STATES: Final = frozenset({"status", "state", "condition", "policy", "availability"})
"""Names of slots whose value is the word itself: status=available."""
SLIGHT: Final = frozenset({"night", "day", "late", "early", "new", "free"})
"""First words of properties' names that any sentence may have, so that they add nothing by themselves."""
ADDRESSES: Final = frozenset({"address", "addr"})
"""Words of the names of slots whose values may be said in another order: Cambridge, 12 High Street."""
NAMES: Final = frozenset({"name", "title"})
"""The last word of slots that name the thing itself, which a second sentence may name again."""
