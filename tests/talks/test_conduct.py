"""Talks: who speaks when, how they end, what is kept, and that a user in JSON is read with care."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from dialeval.core import Signature
from dialeval.data.types import Response, Turn
from dialeval.talks.conduct import hold_talks, waits_for_answer
from dialeval.talks.scenarios import Scenario
from dialeval.talks.users import GraphUser, ModelUser, ReplayedUser, State


@dataclass
class Bot:
    """Answers by what was said last, and notes what it heard."""

    answer: object
    name: str = "bot"
    heard: list = field(default_factory=list)

    @property
    def signature(self):
        return Signature(self.name, (), ())

    def generate(self, contexts, *, n=1, seed=0):
        self.heard += contexts
        return [(Response(self.answer(context)),) for context in contexts]


def scenario(**more):
    return Scenario.model_validate({"id": "s", "goal": "a lamp", **more})


def texts(talk):
    return [(turn.speaker, turn.text) for turn in talk.turns]


def test_scripted_turns_come_first_and_instructions_before_all():
    user = ReplayedUser("people", {"s": ("one", "two", "three")}, "d")
    (talk,) = hold_talks(
        Bot(lambda c: f"re {c[-1].text}"), [scenario(first=["Hi."], instructions="Sell lamps.")], user
    )
    assert texts(talk) == [
        ("system", "Sell lamps."),
        ("user", "Hi."),
        ("assistant", "re Hi."),
        ("user", "two"),
        ("assistant", "re two"),
        ("user", "three"),
        ("assistant", "re three"),
    ]
    assert (talk.item, talk.system, talk.metadata["end"]) == ("s/1", "bot", "user")


def test_a_model_plays_the_user_from_the_other_side():
    model = Bot(lambda c: '{"message": "I want a lamp.", "end": false}', "actor")
    user = ModelUser("actor", model)
    (talk,) = hold_talks(Bot(lambda _c: "Which one?"), [scenario(most=2, facts={"order": "A-1"})], user)
    assert [speaker for speaker, _ in texts(talk)] == ["user", "assistant"] * 2
    rules, *said = model.heard[1]
    assert rules.speaker == "system"
    assert "order: A-1" in rules.text
    assert [turn.speaker for turn in said] == ["user", "assistant", "user"]
    assert said[-1].text == "Which one?"
    assert talk.metadata["end"] == "limit"


@pytest.mark.parametrize(
    ("reply", "end", "turns"),
    [
        ('Sure: {"message": "x", "end": true} no, {"message": "Thanks.", "end": true}', "user", 3),
        ('{"message": "###STOP###", "end": false}', "limit", 6),
        ('{"message": "Thanks."}', "failed", 0),
        ("Thanks!", "failed", 0),
        ('{"message": "", "end": false}', "user", 0),
    ],
)
def test_only_the_field_ends_a_talk_and_what_cannot_be_read_is_our_failure(reply, end, turns):
    user = ModelUser("actor", Bot(lambda _c: reply))
    (talk,) = hold_talks(Bot(lambda _c: "It costs 5 euros."), [scenario(most=3)], user)
    assert talk.metadata["end"] == end
    assert len(talk.turns) == turns
    if turns == 3:
        assert talk.turns[-1].text == "Thanks."


def test_a_user_does_not_leave_at_a_question_or_before_the_least_turns():
    eager = ModelUser("actor", Bot(lambda _c: '{"message": "Yes.", "end": true}'))
    (asked,) = hold_talks(Bot(lambda _c: "Shall I book it?"), [scenario(most=4)], eager)
    assert asked.metadata["end"] == "limit"
    (told,) = hold_talks(Bot(lambda _c: "It is booked."), [scenario(least=3, most=9)], eager)
    assert (told.metadata["end"], sum(turn.speaker == "user" for turn in told.turns)) == ("user", 3)


def test_a_small_model_is_asked_apart_whether_the_talk_is_over():
    def reply(context):
        return (
            ("Yes." if "booked" in context[-1].text else "No") if "observer" in context[0].text else "Please."
        )

    model = Bot(reply)
    user = ModelUser("small", model, form="plain")
    answers = iter(["When?", "I see.", "It is booked.", "never"])
    (talk,) = hold_talks(Bot(lambda _c: next(answers)), [scenario()], user)
    assert talk.metadata["usage"]["user"]["requests"] == len(model.heard) == 6
    assert [text for speaker, text in texts(talk) if speaker == "assistant"] == [
        "When?",
        "I see.",
        "It is booked.",
    ]
    assert talk.metadata["end"] == "user"


def test_a_graph_goes_by_what_the_system_says():
    states = {
        "start": State("I need help.", (("order", "number"), ("*", "start"))),
        "number": State("It is {order}.", (("refund", "bye"),)),
        "bye": State("Bye.", end=True),
    }
    user = GraphUser("graph", states, "d")
    answers = iter(["Sorry?", "Your order number, please.", "A refund is on its way."])
    (talk,) = hold_talks(Bot(lambda _c: next(answers)), [scenario(facts={"order": "A-1"})], user)
    said = [text for speaker, text in texts(talk) if speaker == "user"]
    assert said == ["I need help.", "I need help.", "It is A-1.", "Bye."]


def test_a_system_that_says_nothing_ends_the_talk_as_silent():
    user = ReplayedUser("people", {"s": ("one", "two")}, "d")
    (talk,) = hold_talks(Bot(lambda c: "" if c[-1].text == "two" else "ok"), [scenario()], user)
    assert (talk.metadata["end"], len(talk.turns)) == ("silent", 3)
    (talk,) = hold_talks(Bot(lambda _c: "ok"), [scenario()], user)
    assert (talk.metadata["end"], len(talk.turns)) == ("user", 4)


def test_a_recorded_user_of_one_turn_is_answered():
    user = ReplayedUser("people", {"s": ("When do you open?",)}, "d")
    (talk,) = hold_talks(Bot(lambda _c: "At 9."), [scenario()], user)
    assert texts(talk) == [("user", "When do you open?"), ("assistant", "At 9.")]


def test_one_talk_that_breaks_the_systems_code_fails_alone():
    class Fragile(Bot):
        def generate(self, contexts, *, n=1, seed=0):
            if any("boom" in context[-1].text for context in contexts):
                raise ValueError("it broke")
            return super().generate(contexts, n=n, seed=seed)

    user = ReplayedUser("people", {"a": ("one", "boom"), "b": ("one", "two")}, "d")
    both = [Scenario(id=name, goal="g") for name in ("a", "b")]
    broken, whole = hold_talks(Fragile(lambda _c: "ok"), both, user)
    assert (broken.metadata["end"], "it broke" in broken.metadata["end_reason"]) == ("failed", True)
    assert (whole.metadata["end"], len(whole.turns)) == ("user", 4)


def test_repeats_have_seeds_of_their_own_and_equal_contexts_are_asked_about_once():
    seeds = []

    class Dice(Bot):
        def generate(self, contexts, *, n=1, seed=0):
            seeds.append((seed, len(contexts)))
            return [(Response(str(seed)),) for _ in contexts]

    user = ReplayedUser("people", {"a": ("same",), "b": ("same",)}, "d")
    # A replayed user of one line leaves with it: give the system a turn by a first line.
    two = [Scenario(id=name, goal="g", first=("same",), most=1) for name in ("a", "b")]
    talks = hold_talks(Dice(None), two, user, repeats=2, seed=3)
    assert [number for _, number in seeds] == [1, 1]
    assert len({seed for seed, _ in seeds}) == 2
    assert {talk.item for talk in talks} == {"a/1", "a/2", "b/1", "b/2"}


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("Shall I book it?", True),
        ("Shall I proceed? (yes/no)", True),
        ("Please confirm with yes or no.", True),
        ("What is your order number? I need it to go on.", True),
        ("[Proceed?]", True),
        ('You asked "when?", and it is at 9.', False),
        ("It is booked. Have a nice day!", False),
    ],
)
def test_a_talk_cannot_end_while_the_system_waits_for_an_answer(text, waits):
    assert waits_for_answer(text) is waits


def test_what_the_user_costs_is_counted_beside_the_system():
    user = ModelUser("actor", Bot(lambda _c: '{"message": "Hi", "end": false}'))
    (talk,) = hold_talks(Bot(lambda _c: "Hm."), [scenario(most=2)], user)
    usage = talk.metadata["usage"]
    assert usage["user"] == {"requests": 2, "prompt_tokens": 0, "completion_tokens": 0, "uncounted": 2}
    assert usage["system"]["requests"] == 2


def test_turns_carry_no_names_that_tell_who_is_who():
    user = ReplayedUser("people", {"s": ("one", "two")}, "d")
    bot = Bot(lambda _c: "ok")
    hold_talks(bot, [scenario()], user)
    assert bot.heard[0] == (Turn("user", "one"),)
