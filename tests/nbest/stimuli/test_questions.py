"""Questions from statements, written by hand: each rule of rewriting at least once."""

from __future__ import annotations

import pytest

from dialeval.nbest.stimuli.questions import polar_questions
from dialeval.nbest.stimuli.sentence import PerceptronTags, analyse, tidy_text
from dialeval.nbest.stimuli.subjects import Clause, clause_of
from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE

CASES = [
    # to be moves to the front, in full
    ("I'm in North Carolina.", "Are you in North Carolina?", "Aren't you in North Carolina?"),
    ("I am a nurse.", "Are you a nurse?", "Aren't you a nurse?"),
    ("She is at home.", "Is she at home?", "Isn't she at home?"),
    ("It's cold.", "Is it cold?", "Isn't it cold?"),
    ("They're late.", "Are they late?", "Aren't they late?"),
    ("The shops are closed.", "Are the shops closed?", "Aren't the shops closed?"),
    ("I was tired.", "Were you tired?", "Weren't you tired?"),
    ("He was tired.", "Was he tired?", "Wasn't he tired?"),
    ("The dogs were hungry.", "Were the dogs hungry?", "Weren't the dogs hungry?"),
    ("There is a problem.", "Is there a problem?", "Isn't there a problem?"),
    ("There are two cats.", "Are there two cats?", "Aren't there two cats?"),
    ("That was easy.", "Was that easy?", "Wasn't that easy?"),
    ("Swimming is fun.", "Is swimming fun?", "Isn't swimming fun?"),
    ("I'm going to sell my car.", "Are you going to sell your car?", "Aren't you going to sell your car?"),
    ("He is better.", "Is he better?", "Isn't he better?"),
    ("It is a series of books.", "Is it a series of books?", "Isn't it a series of books?"),
    # 's that stands for has
    ("It's been raining.", "Has it been raining?", "Hasn't it been raining?"),
    ("He's got a dog.", "Has he got a dog?", "Hasn't he got a dog?"),
    # the slip of the thesis's code: "Are we" became "were you"
    ("We are in Texas.", "Are you in Texas?", "Aren't you in Texas?"),
    ("We're in Texas.", "Are you in Texas?", "Aren't you in Texas?"),
    ("We were in Texas.", "Were you in Texas?", "Weren't you in Texas?"),
    # modals
    ("I can swim.", "Can you swim?", "Can't you swim?"),
    ("They will come.", "Will they come?", "Won't they come?"),
    ("She'll come.", "Will she come?", "Won't she come?"),
    ("I'd like some tea.", "Would you like some tea?", "Wouldn't you like some tea?"),
    ("He should leave.", "Should he leave?", "Shouldn't he leave?"),
    ("We could stay.", "Could you stay?", "Couldn't you stay?"),
    ("You must pay.", "Must I pay?", "Mustn't I pay?"),
    ("I might go.", "Might you go?", "Might you not go?"),
    ("The train might be late.", "Might the train be late?", None),
    # have as an auxiliary moves, have as a verb does not
    ("I have seen it.", "Have you seen it?", "Haven't you seen it?"),
    ("I've always liked him.", "Have you always liked him?", "Haven't you always liked him?"),
    ("She has left.", "Has she left?", "Hasn't she left?"),
    ("They had finished.", "Had they finished?", "Hadn't they finished?"),
    ("I have a car.", "Do you have a car?", "Don't you have a car?"),
    (
        "I have a car made in Japan.",
        "Do you have a car made in Japan?",
        "Don't you have a car made in Japan?",
    ),
    ("He has two sons.", "Does he have two sons?", "Doesn't he have two sons?"),
    ("We had a garden.", "Did you have a garden?", "Didn't you have a garden?"),
    ("I have to work.", "Do you have to work?", "Don't you have to work?"),
    # do as an auxiliary moves, do as a verb does not
    ("I did see him.", "Did you see him?", "Didn't you see him?"),
    ("I do the dishes.", "Do you do the dishes?", "Don't you do the dishes?"),
    ("I also did.", "Did you also?", "Didn't you also?"),
    # do-support by tense and person
    ("I like dogs.", "Do you like dogs?", "Don't you like dogs?"),
    ("They live in Ohio.", "Do they live in Ohio?", "Don't they live in Ohio?"),
    ("She works at night.", "Does she work at night?", "Doesn't she work at night?"),
    ("My wife teaches music.", "Does your wife teach music?", "Doesn't your wife teach music?"),
    ("He went home.", "Did he go home?", "Didn't he go home?"),
    ("I made a cake.", "Did you make a cake?", "Didn't you make a cake?"),
    ("We saw them.", "Did you see them?", "Didn't you see them?"),
    ("I found a key.", "Did you find a key?", "Didn't you find a key?"),
    ("I used to smoke.", "Did you use to smoke?", "Didn't you use to smoke?"),
    ("People like to travel.", "Do people like to travel?", "Don't people like to travel?"),
    ("I really enjoy it.", "Do you really enjoy it?", "Don't you really enjoy it?"),
    (
        "The kids chose the red one.",
        "Did the kids choose the red one?",
        "Didn't the kids choose the red one?",
    ),
    # persons
    ("You are tall.", "Am I tall?", "Aren't I tall?"),
    ("You're my friend.", "Am I your friend?", "Aren't I your friend?"),
    ("You were right.", "Was I right?", "Wasn't I right?"),
    ("I told you about my trip.", "Did you tell me about your trip?", "Didn't you tell me about your trip?"),
    ("He called me.", "Did he call you?", "Didn't he call you?"),
    ("They invited us.", "Did they invite you?", "Didn't they invite you?"),
    ("Our house is old.", "Is your house old?", "Isn't your house old?"),
    ("The red one is mine.", "Is the red one yours?", "Isn't the red one yours?"),
    ("The blue one is yours.", "Is the blue one mine?", "Isn't the blue one mine?"),
    ("I taught myself.", "Did you teach yourself?", "Didn't you teach yourself?"),
    ("We enjoyed ourselves.", "Did you enjoy yourselves?", "Didn't you enjoy yourselves?"),
    ("Your dog scared me.", "Did my dog scare you?", "Didn't my dog scare you?"),
    ("I think I was wrong.", "Do you think you were wrong?", "Don't you think you were wrong?"),
    ("I think you are wrong.", "Do you think I am wrong?", "Don't you think I am wrong?"),
    ("I think I'm right.", "Do you think you're right?", "Don't you think you're right?"),
    ("I know that you can sing.", "Do you know that I can sing?", "Don't you know that I can sing?"),
    # names keep their capital, other first words lose it
    ("Mary lives in Boston.", "Does Mary live in Boston?", "Doesn't Mary live in Boston?"),
    ("Bread is cheap.", "Is bread cheap?", "Isn't bread cheap?"),
    ("Art Cooper sold his farm.", "Did Art Cooper sell his farm?", "Didn't Art Cooper sell his farm?"),
    (
        "Most Americans want a change.",
        "Do most Americans want a change?",
        "Don't most Americans want a change?",
    ),
    ("UNLV is good.", "Is UNLV good?", "Isn't UNLV good?"),
    # forms of writing
    ("i 'm in texas", "Are you in texas?", "Aren't you in texas?"),
    ("It 's cold .", "Is it cold?", "Isn't it cold?"),
    ("it’s cold", "Is it cold?", "Isn't it cold?"),
]


@pytest.fixture(scope="module")
def tagger():
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    pytest.importorskip("lemminflect")
    return PerceptronTags()


def clause(text, tagger):
    (sentence,) = analyse([tidy_text(text)], tagger)
    return clause_of(sentence)


@pytest.mark.parametrize(("statement", "positive", "negative"), CASES)
def test_a_statement_becomes_two_questions(tagger, statement, positive, negative):
    found = clause(statement, tagger)
    assert isinstance(found, Clause), found
    polar = polar_questions(found)
    assert polar is not None
    assert (polar.positive, polar.negative) == (positive, negative)


@pytest.mark.parametrize("statement", ["You may leave.", "You'd better go.", "We shall see."])
def test_modals_that_questions_do_not_begin_with_give_none(tagger, statement):
    assert polar_questions(clause(statement, tagger)) is None


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("The man I know is tall.", "several-subjects"),
        ("The people who live in town are rich.", "several-subjects"),
        ("The little kid understand it perfectly.", "agreement"),
        ("The plan to leave was bad.", "unclear-subject"),
        ("A nice day.", "no-verb"),
    ],
)
def test_statements_whose_subject_is_unclear_are_left_out(tagger, statement, fault):
    assert clause(statement, tagger) == fault


def test_what_is_known_shows_that_a_word_is_a_name(tagger):
    found = clause("Mark was late.", tagger)
    assert isinstance(found, Clause)
    assert polar_questions(found, "I saw Mark at noon.").positive == "Was Mark late?"
    assert polar_questions(found, "The mark was late.").positive == "Was mark late?"
