"""Pairs by templates: statements that contradict each other, and others that only look as if they did.

Two plans with two prices, Saturday and Sunday, a cat and no dog, past and present, one's own home and a sister's: a
detector that goes by a changed word calls all of them contradictions. For each statement there is one that cannot be
true beside it, and one of nearly the same words that can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final, NamedTuple, TypeAlias

from dialeval.consistency.pairs.types import LabelledPair, Pair


class Statements(NamedTuple):
    """A statement, one that contradicts it, one that only looks so, and what may be asked between them."""

    said: str
    contradiction: str
    look_alike: str
    asked: str = ""


Frame: TypeAlias = Callable[[Random], Statements]
"""Draws statements of one kind."""


def look_alikes(count: int, *, seed: int = 0) -> Iterator[LabelledPair]:
    """Pairs in twos, a contradiction and its look-alike, from all frames in turn; an odd ``count`` gives one more."""
    draw, frames = Random(seed), list(FRAMES.items())
    for number in range((count + 1) // 2):
        name, frame = frames[number % len(frames)]
        drawn = frame(draw)
        asked = draw.choice((drawn.asked, drawn.asked, "Are you sure?", ""))
        opening, ending = draw.choice(_OPENINGS), draw.choice(_ENDINGS)
        said, forwards = f"{drawn.said}{draw.choice(_ENDINGS)}", draw.random() < 0.7
        for text, label in ((drawn.contradiction, "contradiction"), (drawn.look_alike, "consistent")):
            # In which order the two were said makes neither true; only what comes second answers the question.
            if forwards:
                pair = Pair(
                    said, f"{opening}{_lowered(text) if opening.endswith(', ') else text}{ending}", asked
                )
            else:
                pair = Pair(f"{text}{ending}", said)
            yield LabelledPair(
                pair, "contradiction" if label == "contradiction" else "consistent", f"look-alike:{name}"
            )


def _price(draw: Random) -> Statements:
    one, other = draw.sample(draw.choice(_PRICED), 2)
    value, another = _two(
        draw, [f"${n}" for n in (5, 9, 12, 15, 19, 20, 25, 30, 35, 49, 60, 75, 80, 99, 120, 150)]
    )
    said, says = draw.choice(_COSTS), draw.choice(_COSTS)
    return Statements(
        _first(said.format(s=one, v=value)),
        _first(says.format(s=one, v=another)),
        _first(says.format(s=other, v=another)),
        f"And what about {other}?",
    )


def _hours(draw: Random) -> Statements:
    day, another = _two(draw, _DAYS)
    time, later = _two(draw, ("7 am", "8 am", "9 am", "9:30", "10 am", "11 am", "noon"))
    forms = (
        "We open at {v} on {s}.",
        "On {s} our doors open at {v}.",
        "The shop opens at {v} on {s}.",
        "{s}: we start at {v}.",
    )
    said, says = draw.choice(forms), draw.choice(forms)
    if draw.random() < 0.4:
        return Statements(
            f"We are closed on {day}s.",
            draw.choice((f"You can come by on {day}, we are open then.", f"On {day}s we open at {time}.")),
            draw.choice(
                (f"You can come by on {another}, we are open then.", f"On {another}s we open at {time}.")
            ),
            "When can I come?",
        )
    return Statements(
        said.format(s=day, v=time),
        says.format(s=day, v=later),
        says.format(s=another, v=later),
        f"And on {another}?",
    )


def _takes(draw: Random) -> Statements:
    one, other = draw.sample(_PROCESSES, 2)
    few, more = _two(
        draw, ("one day", "two days", "three days", "five days", "a week", "two weeks", "ten days", "a month")
    )
    forms = ("{s} takes {v}.", "{s} usually needs {v}.", "It takes {v} for {s}.", "Please allow {v} for {s}.")
    said, says = draw.choice(forms), draw.choice(forms)
    return Statements(
        _first(said.format(s=one, v=few)),
        _first(says.format(s=one, v=more)),
        _first(says.format(s=other, v=more)),
        f"How long does {other} take?",
    )


def _allowed(draw: Random) -> Statements:
    one, other = draw.sample(_ALLOWED, 2)
    plan, another = draw.sample(("the basic plan", "the family plan", "the pro plan", "a trial account"), 2)
    if draw.random() < 0.5:
        return Statements(
            f"With {plan} you can {one}.",
            draw.choice((f"You can't {one} with {plan}.", f"With {plan} it is not possible to {one}.")),
            draw.choice((f"You can't {one} with {another}.", f"With {another} it is not possible to {one}.")),
            f"And with {another}?",
        )
    yes, no = (
        f"You can {one}.",
        draw.choice((f"I'm afraid you can't {one}.", f"It is not possible to {one}.")),
    )
    like = draw.choice((f"I'm afraid you can't {other}.", f"It is not possible to {other}."))
    return (
        Statements(yes, no, like, f"Can I {other}?")
        if draw.random() < 0.6
        else Statements(no, yes, f"You can {other}.")
    )


def _home(draw: Random) -> Statements:
    place, another = _two(draw, _PLACES)
    kin = draw.choice(_KIN)
    like = (
        f"I used to live in {another}.",
        f"I grew up in {another}.",
        f"My {kin} lives in {another}.",
        f"I would love to live in {another} one day.",
        f"I spent a week in {another} last year.",
        f"I am moving to {another} next year.",
    )
    return Statements(
        draw.choice((f"I live in {place}.", f"My home is in {place}.")),
        draw.choice(
            (f"I live in {another}.", f"I don't live in {place}.", f"I have never lived in {place}.")
        ),
        draw.choice(like),
        "Where are you from?",
    )


def _liking(draw: Random) -> Statements:
    thing, another = _two(draw, _THINGS)
    kin = draw.choice(_KIN)
    said = draw.choice((f"I love {thing}.", f"I really like {thing}.", f"I am a big fan of {thing}."))
    against = draw.choice(
        (
            f"I hate {thing}.",
            f"I can't stand {thing}.",
            f"I have never liked {thing}.",
            f"I don't like {thing}.",
        )
    )
    like = draw.choice(
        (
            f"I hate {another}.",
            f"I don't like {another}.",
            f"My {kin} can't stand {thing}.",
            f"I didn't like {thing} as a child.",
        )
    )
    return Statements(said, against, like, f"Do you like {another}?")


def _having(draw: Random) -> Statements:
    pet, another = _two(draw, _OWNED)
    kin = draw.choice(_KIN)
    said = draw.choice((f"I have {_a(pet)}.", f"I own {_a(pet)}.", f"We have {_a(pet)} at home."))
    against = draw.choice((f"I don't have {_a(pet)}.", f"I have never had {_a(pet)}."))
    like = draw.choice(
        (f"I don't have {_a(another)}.", f"I have {_a(another)}, too.", f"My {kin} doesn't have {_a(pet)}.")
    )
    return Statements(said, against, like, f"Do you have {_a(another)}?")


def _kin(draw: Random) -> Statements:
    one, other = draw.sample(_KIN, 2)
    if draw.random() < 0.5:
        job, another = _two(draw, _JOBS)
        forms = ("My {s} is {v}.", "My {s} works as {v}.")
        values = _a(job), _a(another)
    else:
        age, older = _two(draw, range(21, 60))
        forms = ("My {s} is {v} years old.", "My {s} turned {v} this year.")
        values = str(age), str(older)
    said, says = draw.choice(forms), draw.choice(forms)
    return Statements(
        said.format(s=one, v=values[0]),
        says.format(s=one, v=values[1]),
        says.format(s=other, v=values[1]),
        f"What about your {other}?",
    )


def _dated(draw: Random) -> Statements:
    one, other = draw.sample(
        (
            "my flight",
            "my dentist appointment",
            "the meeting",
            "the exam",
            "her birthday",
            "the party",
            "the delivery",
        ),
        2,
    )
    day, another = _two(draw, _DAYS)
    forms = ("{s} is on {v}.", "{s} was set for {v}.", "I put {s} down for {v}.")
    said, says = draw.choice(forms), draw.choice(forms)
    return Statements(
        _first(said.format(s=one, v=day)),
        _first(says.format(s=one, v=another)),
        _first(says.format(s=other, v=another)),
        f"And {other}?",
    )


def _time(draw: Random) -> Statements:
    state = draw.choice(("sick", "busy", "at work", "tired", "out of town", "unemployed", "at home"))
    then, now = draw.choice((("yesterday", "today"), ("last week", "this week"), ("last year", "now")))
    return Statements(
        f"I was {state} {then}.",
        draw.choice((f"I was not {state} {then}.", f"{_first(then)} I wasn't {state}.")),
        draw.choice((f"I am not {state} {now}.", f"{_first(now)} I'm no longer {state}.")),
        "How are you?",
    )


def _count(draw: Random) -> Statements:
    thing, another = draw.sample(("brothers", "sisters", "children", "cats", "bikes", "cars", "nephews"), 2)
    number, different = _two(draw, ("two", "three", "four", "five", "six"))
    forms = ("I have {n} {s}.", "I've got {n} {s}.")
    said, says = draw.choice(forms), draw.choice(forms)
    return Statements(
        said.format(n=number, s=thing),
        draw.choice((says.format(n=different, s=thing), f"I don't have any {thing}.")),
        draw.choice((says.format(n=different, s=another), f"I don't have any {another}.")),
        f"Any {another}?",
    )


def _favourite(draw: Random) -> Statements:
    kind, values = draw.choice(list(_FAVOURITES.items()))
    other, others = draw.choice([entry for entry in _FAVOURITES.items() if entry[0] != kind])
    value, another = _two(draw, values)
    return Statements(
        draw.choice((f"My favorite {kind} is {value}.", f"The {kind} I like best is {value}.")),
        draw.choice((f"My favorite {kind} is {another}.", f"The {kind} I like best is {another}.")),
        draw.choice((f"My favorite {other} is {draw.choice(others)}.", f"I also like {another}, but less.")),
        f"What is your favorite {other}?",
    )


def _visited(draw: Random) -> Statements:
    place, another = _two(draw, _PLACES)
    return Statements(
        draw.choice((f"I have never been to {place}.", f"I've never visited {place}.")),
        draw.choice(
            (
                f"When I was in {place} last year, it rained.",
                f"I went to {place} last summer.",
                f"I studied in {place} for a year.",
            )
        ),
        draw.choice(
            (
                f"I went to {another} last summer.",
                f"I hope to see {place} next year.",
                f"My {draw.choice(_KIN)} went to {place} last year.",
            )
        ),
        "Do you travel a lot?",
    )


def _known(draw: Random) -> Statements:
    said, against, like = draw.choice(_KNOWLEDGE)
    return Statements(said, draw.choice(against.split(" | ")), draw.choice(like.split(" | ")))


FRAMES: Final[Mapping[str, Frame]] = {
    "price": _price,
    "hours": _hours,
    "takes": _takes,
    "allowed": _allowed,
    "home": _home,
    "liking": _liking,
    "having": _having,
    "kin": _kin,
    "dated": _dated,
    "time": _time,
    "count": _count,
    "favourite": _favourite,
    "visited": _visited,
    "known": _known,
    "known_too": _known,
}
"""Kinds of statements by name; those that need knowledge of the world count twice."""

_OPENINGS: Final = (
    "",
    "",
    "",
    "Well, ",
    "Yes, ",
    "Sure! ",
    "Thanks for asking. ",
    "As far as I know, ",
    "Oh, ",
    "Let me see. ",
)
_ENDINGS: Final = (
    "",
    "",
    "",
    " How about you?",
    " Anything else?",
    " Let me know if that helps.",
    " That's how it is.",
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PRICED: Final = (
    ("the basic plan", "the pro plan", "the family plan", "the student plan", "the yearly plan"),
    ("a single room", "a double room", "a suite", "a room with a view", "an extra bed"),
    ("standard shipping", "express shipping", "shipping abroad", "gift wrapping"),
    ("an adult ticket", "a child ticket", "a day pass", "the guided tour", "parking"),
    ("the blue jacket", "the red jacket", "the backpack", "the black shoes", "the umbrella"),
    ("the repair", "a new battery", "the cleaning", "a new screen", "the inspection"),
    ("the lunch menu", "the dinner menu", "the soup", "the fish", "a bottle of wine"),
)
_COSTS: Final = (
    "{s} costs {v}.",
    "{s} is {v}.",
    "The price of {s} is {v}.",
    "You pay {v} for {s}.",
    "We charge {v} for {s}.",
    "{s} comes to {v} in total.",
)
_PROCESSES: Final = (
    "a refund",
    "an exchange",
    "standard delivery",
    "express delivery",
    "the repair",
    "a bank transfer",
    "your application",
    "the review of your claim",
)
_ALLOWED: Final = (
    "cancel online",
    "change the delivery address",
    "pay by card",
    "pay in cash",
    "bring a dog",
    "park here for free",
    "check in before noon",
    "return sale items",
    "upgrade at any time",
    "share the account",
    "export your data",
    "invite guests",
    "download the invoice",
    "reschedule the appointment",
    "keep the old phone number",
    "use two coupons",
)
_PLACES: Final = (
    "Boston",
    "Chicago",
    "Paris",
    "London",
    "Berlin",
    "Madrid",
    "Tokyo",
    "Toronto",
    "Rome",
    "Sydney",
    "Dublin",
    "Vienna",
    "Seattle",
    "Miami",
)
_KIN: Final = (
    "brother",
    "sister",
    "mother",
    "father",
    "aunt",
    "uncle",
    "cousin",
    "best friend",
    "neighbor",
    "boss",
    "roommate",
)
_THINGS: Final = (
    "jazz",
    "sushi",
    "horror movies",
    "running",
    "coffee",
    "cooking",
    "football",
    "cheese",
    "winter",
    "video games",
    "camping",
    "dogs",
    "chocolate",
    "opera",
    "swimming",
    "spicy food",
)
_OWNED: Final = (
    "cat",
    "dog",
    "car",
    "parrot",
    "motorbike",
    "garden",
    "piano",
    "guitar",
    "boat",
    "horse",
    "rabbit",
    "television",
    "swimming pool",
)
_JOBS: Final = (
    "nurse",
    "teacher",
    "lawyer",
    "farmer",
    "engineer",
    "chef",
    "pilot",
    "dentist",
    "plumber",
    "writer",
    "accountant",
    "bus driver",
)
_FAVOURITES: Final[Mapping[str, tuple[str, ...]]] = {
    "color": ("blue", "green", "red", "purple", "yellow"),
    "season": ("spring", "summer", "autumn", "winter"),
    "food": ("pizza", "curry", "sushi", "pasta", "tacos"),
    "sport": ("tennis", "soccer", "hockey", "basketball", "golf"),
    "drink": ("tea", "coffee", "lemonade", "milk", "apple juice"),
    "animal": ("the elephant", "the owl", "the dolphin", "the horse"),
    "subject": ("math", "history", "biology", "art"),
}
_KNOWLEDGE: Final = (
    (
        "I am an only child.",
        "My sister is visiting me this week. | I get along well with my brothers.",
        "My cousin is visiting me this week. | I get along well with my parents.",
    ),
    (
        "I am a vegetarian.",
        "I had a steak last night. | My chicken sandwich was great today.",
        "I had a salad last night. | My husband had a steak last night.",
    ),
    (
        "I don't drink alcohol.",
        "I had two beers with my friends yesterday. | I always have a glass of wine with dinner.",
        "I had two lemonades with my friends yesterday. | My friends had two beers.",
    ),
    (
        "I can't drive.",
        "I drove to work this morning. | My car is parked outside, I just got back from the store in it.",
        "My wife drove me to work this morning. | I took the bus to work.",
    ),
    (
        "I live alone.",
        "My roommate cooks for us every day. | My wife and our kids are already asleep.",
        "My neighbor cooks for me every day. | My sister is already asleep at her place.",
    ),
    (
        "I am single.",
        "My husband is a great cook. | My wife and I just came back from vacation.",
        "My brother is a great cook. | My parents just came back from vacation.",
    ),
    (
        "I have never left my country.",
        "I spent last summer abroad. | I loved my year in Japan as a student.",
        "I spent last summer at home. | My brother loved his year in Japan.",
    ),
    (
        "I am afraid of flying, I have never been on a plane.",
        "My flight yesterday was delayed. | I flew to Denver last month.",
        "My train yesterday was delayed. | My boss flew to Denver last month.",
    ),
    (
        "I am allergic to nuts.",
        "I eat peanut butter every day. | I just had a handful of almonds.",
        "I eat toast every day. | I just had a handful of grapes.",
    ),
    (
        "I work the night shift.",
        "I work from nine to five. | I am in the office every morning at eight.",
        "My wife works from nine to five. | I sleep during the day.",
    ),
    (
        "I don't have any children.",
        "My son starts school this year. | I have to pick up my daughter.",
        "My nephew starts school this year. | I have to pick up my niece.",
    ),
    (
        "I am retired.",
        "I have to be at work by eight tomorrow. | My boss gave me a raise.",
        "My son has to be at work by eight tomorrow. | I worked for forty years.",
    ),
    (
        "I am ten years old.",
        "I graduated from college last year. | My wife and I bought a house.",
        "My sister graduated from college last year. | My parents bought a house.",
    ),
    (
        "I don't like the water, I can't swim.",
        "I swim a mile every morning. | I won the swimming race yesterday.",
        "I walk a mile every morning. | My daughter won the swimming race.",
    ),
    (
        "My grandmother died before I was born.",
        "My grandmother called me yesterday. | I am baking with my grandma tomorrow.",
        "My aunt called me yesterday. | I never met her.",
    ),
    (
        "I quit smoking ten years ago.",
        "I smoke a pack a day. | I just went out for a cigarette.",
        "I used to smoke a pack a day. | I just went out for a walk.",
    ),
    (
        "I have read that book twice.",
        "I have never read that book. | I don't know that book at all.",
        "I have never seen the movie. | I don't know that author's other books.",
    ),
    (
        "I sold my car last month.",
        "I drive my car to work every day. | My car is in the garage at home.",
        "I take the bike to work every day. | My wife's car is in the garage.",
    ),
    (
        "I study at night because I work during the day.",
        "I don't have a job. | I am unemployed and sleep all day.",
        "I don't have much time. | My brother is unemployed.",
    ),
    (
        "I am vegan.",
        "I put milk and cheese in everything. | Scrambled eggs are my usual breakfast.",
        "I put olive oil in everything. | Oatmeal is my usual breakfast.",
    ),
    (
        "We don't ship abroad.",
        "Your parcel to France will leave tomorrow. | We deliver to Canada in a week.",
        "Your parcel to Denver will leave tomorrow. | We deliver to Texas in a week.",
    ),
    (
        "Your order has not been shipped yet.",
        "Your order was delivered this morning. | The package left our warehouse on Monday.",
        "Your order will be shipped tomorrow. | Your refund left our bank on Monday.",
    ),
    (
        "Refunds are not possible on sale items.",
        "We will refund your sale item right away. | Sale items can be sent back for a full refund.",
        "We can exchange your sale item right away. | Full-price items can be sent back for a full refund.",
    ),
    (
        "The store is open around the clock.",
        "The store closes at six. | We are closed at night.",
        "The cafe next door closes at six. | The phone line is closed at night.",
    ),
    (
        "The trial is free.",
        "You pay five dollars for the trial. | Your card is charged for the trial.",
        "You pay five dollars after the trial. | Your card is not charged for the trial.",
    ),
    (
        "There is no contract, you can leave at any time.",
        "You are bound for twelve months. | The minimum term is two years.",
        "You pay month by month. | Most customers stay for two years.",
    ),
    (
        "The table is sold out.",
        "We have twelve of these tables in stock. | I can send you the table today.",
        "We have twelve of the chairs in stock. | I can send you the table in May.",
    ),
    (
        "Breakfast is included.",
        "Breakfast costs twelve dollars extra. | You have to pay for breakfast.",
        "Dinner costs twelve dollars extra. | You have to pay for parking.",
    ),
    (
        "Pets are not allowed.",
        "You can bring your dog. | Your cat may stay in the room with you.",
        "You can bring your children. | Your mother may stay in the room with you.",
    ),
    (
        "The train is direct.",
        "You have to change trains in Dover. | There are two changes on the way.",
        "You have to buy a ticket. | There are two stops on the way.",
    ),
    (
        "The last bus leaves at ten.",
        "There is a bus at eleven thirty. | Buses run all night.",
        "There is a bus at nine thirty. | Trains run all night.",
    ),
    (
        "I can't see your account from here.",
        "I see in your account that you paid. | Your account shows two orders.",
        "My colleague can see your account. | You can see it on our website.",
    ),
    (
        "Our support line is free of charge.",
        "Calls cost two dollars a minute. | You will be billed for this call.",
        "Repairs cost two dollars a minute. | You will be billed for the repair.",
    ),
    (
        "I have booked a table for two.",
        "I have booked a table for six. | I have not booked anything yet.",
        "I have ordered six bottles. | I have not ordered anything yet.",
    ),
)
"""A statement, what contradicts it by knowledge of the world, and what does not, alternatives divided by bars."""


def _two(draw: Random, values: tuple[str, ...] | list[str] | range) -> list[str]:
    return [str(value) for value in draw.sample(list(values), 2)]


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lowered(text: str) -> str:
    return (
        text
        if text[:2] in ("I ", "I'") or text.split()[0].strip(":") in _DAYS
        else text[:1].lower() + text[1:]
    )
