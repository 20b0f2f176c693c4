from __future__ import annotations

import pytest

from dialeval.data.types import Turn, alternating
from dialeval.errors import Unsuitable
from dialeval.systems.decoding import Decoding
from dialeval.systems.huggingface import HuggingFace


def system(folder, **more):
    return HuggingFace("tiny", model=str(folder), **more)


def read(one, context, longest=999):
    """What the model reads, as text."""
    loaded = one._load()
    return loaded.prompt_format.tokenizer.decode(loaded.prompt_format.prompt(context, longest).tokens)


def test_the_chat_template_is_honoured(folders):
    context = alternating(["Hello.", "Tea?", "No."])
    said = "<s>user\nHello.</s>\n<s>assistant\nTea?</s>\n<s>user\nNo.</s>\n<s>assistant\n"
    assert read(system(folders["chat"]), context) == said
    assert (
        read(system(folders["chat"], system_prompt="Be kind."), context) == "<s>system\nBe kind.</s>\n" + said
    )


def test_plain_prompts_are_one_turn_a_line_whoever_speaks(folders):
    context = (Turn("A", "Hello."), Turn("customer", "Tea?"))
    assert read(system(folders["chat"], prompt="plain"), context) == "Hello.\nTea?\n"
    assert read(system(folders["llama"], system_prompt="Be kind."), context) == "Be kind.\nHello.\nTea?\n"
    assert read(system(folders["bart"]), context) == "<s>Hello.\nTea?</s>"


def test_an_empty_context_is_a_user_who_has_said_nothing(folders):
    assert read(system(folders["chat"]), ()) == "<s>user\n</s>\n<s>assistant\n"
    assert read(system(folders["llama"]), ()) == "<s>"


def test_neighbours_of_one_role_are_joined_where_the_template_wants_roles_to_alternate(folders):
    context = (Turn("user", "Hello."), Turn("user", "Tea?"))
    assert read(system(folders["strict"]), context) == "<s>user\nHello.\nTea?</s>\n<s>assistant\n"
    apart = "<s>user\nHello.</s>\n<s>user\nTea?</s>\n<s>assistant\n"
    assert read(system(folders["chat"]), context) == apart


def test_what_a_template_refuses_is_said_with_its_own_words(folders):
    with pytest.raises(Unsuitable, match=r"roles assistant, user: roles must alternate.*prompt: plain"):
        read(system(folders["strict"]), alternating(["Hello.", "Tea?"]))


def test_an_unknown_role_is_refused_with_the_known_ones(folders):
    with pytest.raises(
        Unsuitable,
        match=r"'asistant', of the turn 'Hello.', means nothing.*user, assistant, system.*mean 'assistant'",
    ):
        system(folders["chat"]).generate([(Turn("asistant", "Hello."),)])


def test_a_model_without_a_template_cannot_be_asked_to_chat(folders):
    with pytest.raises(Unsuitable, match="llama has no chat template"):
        system(folders["llama"], prompt="chat").logprob([()], ["a"])


def test_the_oldest_whole_turns_are_dropped_and_counted(folders, caplog):
    tiny = system(folders["chat"], max_context=30)
    context = alternating(
        ["Hello, how are you today?", "I am fine.", "Tea?", "No, I like milk.", "And coffee?"]
    )
    loaded = tiny._load()
    sizes = [len(loaded.prompt_format.prompt(context[dropped:], 999).tokens) for dropped in range(5)]
    fits = next(dropped for dropped, size in enumerate(sizes) if size <= 30)
    assert 0 < fits < 4
    prompted = loaded.prompt_format.prompt(context, 30)
    assert prompted == loaded.prompt_format.prompt(context[fits:], 30)._replace(dropped=fits, cut=True)
    assert tiny.dropped([context, context[fits:], ()]).tolist() == [fits, 0, 0]
    tiny.logprob([context, context, ()], ["a", "b", "a"])
    assert (
        f"1 of 2 contexts exceed the 30 tokens there is room for; {fits} of their oldest turns" in caplog.text
    )


def test_opening_system_turns_outlast_the_others(folders):
    context = (Turn("system", "Be kind."), *alternating(["Hello, how are you today?", "I am fine.", "Tea?"]))
    assert read(system(folders["chat"]), context, 30).startswith("<s>system\nBe kind.</s>\n<s>")
    assert "today" not in read(system(folders["chat"]), context, 30)


def test_a_last_turn_that_is_too_long_keeps_its_end(folders):
    tiny = system(folders["chat"])
    context = alternating(["Tea?", "Hello, how are you today? " * 20 + "No milk."])
    whole = tiny._load().prompt_format.prompt(context[1:], 999).tokens
    prompted = tiny._load().prompt_format.prompt(context, 20)
    assert prompted == (whole[-20:], 1, True)
    assert read(tiny, context, 20).endswith("No milk.</s>\n<s>assistant\n")


def test_a_context_as_long_as_the_window_leaves_room_for_the_response(folders):
    # A window of 256 tokens.
    tiny = system(folders["chat"], decoding=Decoding(max_tokens=20))
    context = alternating(["Hello, how are you today? " * 4] * 21)
    (responses,) = tiny.generate([context])
    assert len(responses) == 1
    assert tiny.dropped([context]).tolist()[0] > 0
    assert tiny.logprob([context], ["I am fine."])[0] < 0


def test_a_response_that_does_not_fit_beside_its_context_is_refused(folders):
    tiny = system(folders["chat"])
    with pytest.raises(Unsuitable, match=r"do not fit into a window of 256.*max_context"):
        tiny.logprob([alternating(["Hello."])], ["tea " * 300])


def test_the_end_of_a_turn_is_what_the_template_ends_it_with(folders):
    assert system(folders["chat"])._load().end == 2
    plain = system(folders["chat"], prompt="plain")._load()
    assert plain.prompt_format.tokenizer.decode([plain.end]) == "\n"
