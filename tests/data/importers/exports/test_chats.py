"""Chats of people and sessions of agents in small exports written by hand."""

from __future__ import annotations

import pytest

from dialeval.data import read
from dialeval.errors import BadInput


def node(name, parent, role=None, text="", children=(), **message):
    held = {"author": {"role": role}, "content": {"content_type": "text", "parts": [text]}, **message}
    return {
        name: {"id": name, "parent": parent, "children": list(children), "message": held if role else None}
    }


class TestChatGPT:
    def tree(self, **beside):
        mapping = node("root", None, children=["hidden"])
        hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
        mapping |= node("hidden", "root", "system", "secret", **hidden)
        mapping |= node("q", "hidden", "user", "Sum?") | node("old", "q", "assistant", "I left this.")
        mapping |= node(
            "code",
            "q",
            "assistant",
            "1+1",
            recipient="python",
            content={"content_type": "code", "text": "1+1"},
        )
        mapping |= node("out", "code", "tool", "2") | node(
            "a", "out", "assistant", "Two.", metadata={"model_slug": "m"}
        )
        return {"title": "Sums", "conversation_id": "c", "current_node": "a", "mapping": mapping, **beside}

    def test_the_path_to_the_current_node(self, export, said, caplog):
        caplog.set_level("INFO", logger="dialeval.data")
        turns = [("user", "Sum?"), ("assistant", ""), ("tool", "2"), ("assistant", "Two.")]
        path = export("conversations.json", [self.tree()])
        assert said(path) == ("c", turns, ["python"])
        assert "1 message (hidden), 1 message (on branches that were left)" in caplog.text
        (dialogue,) = read(path, "dialogue")
        assert (dialogue.system, dialogue.metadata) == ("m", {"title": "Sums"})
        assert said(export("other.json", [self.tree(current_node="old")]))[1] == [
            *turns[:1],
            ("assistant", "I left this."),
        ]

    def test_a_circle_and_a_missing_node_are_refused(self, export):
        circle = self.tree()
        circle["mapping"]["root"]["parent"] = "a"
        for tree, found in ((circle, "found a circle"), (self.tree(current_node="z"), "found no node 'z'")):
            with pytest.raises(BadInput, match=found):
                list(read(export("conversations.json", [tree]), "dialogue"))
            bad = []
            path = export("conversations.json", [tree, self.tree(conversation_id="good")])
            assert [one.item for one in read(path, "dialogue", on_bad=bad.append)] == ["good"]


def spoken(path):
    return [
        (one.item, [(turn.speaker, turn.name, turn.text) for turn in one.turns])
        for one in read(path, "dialogue")
    ]


def test_a_slack_export(export):
    message = {
        "type": "message",
        "user": "U1",
        "ts": "2.0",
        "text": "<@U2> see &lt;this&gt; <https://x.org|page>",
    }
    export("x/channels.json", [])
    export(
        "x/users.json",
        [{"id": "U1", "name": "ann"}, {"id": "U2", "name": "b", "profile": {"real_name": "Bo"}}],
    )
    export("x/general/2026-01-02.json", [message])
    bot = {"type": "message", "subtype": "bot_message", "username": "robo", "ts": "1.0", "text": "Hi."}
    joined = {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "0.5", "text": "joined"}
    folder = export("x/general/2026-01-01.json", [joined, bot]).parent.parent
    told = [("assistant", "robo", "Hi."), ("user", "ann", "@Bo see <this> page")]
    assert spoken(folder) == [("general", told)]
    assert spoken(folder / "general" / "2026-01-02.json") == [("general", told[1:])]


def test_instagram_s_letters_are_mended_and_media_kept(export):
    messages = [
        {"sender_name": "B", "timestamp_ms": 2, "photos": [{}]},
        {"sender_name": "A", "timestamp_ms": 1, "content": "Gr\u00c3\u00bc\u00c3\u009fe"},
    ]
    path = export(
        "message_1.json", {"participants": [{"name": "A"}], "messages": messages, "thread_path": "t"}
    )
    assert spoken(path) == [("t", [("user", "A", "Grüße"), ("assistant", "B", "[media]")])]


def test_all_chats_of_telegram(export):
    parts = ["See ", {"type": "link", "text": "x.org"}]
    texts = [
        {"id": 1, "type": "service", "date": "2026-01-01T09:00:00", "actor": "A", "action": "joined"},
        {
            "id": 2,
            "type": "message",
            "date": "2026-01-01T10:00:00",
            "from": "A",
            "text": parts,
        },
        {
            "id": 3,
            "type": "message",
            "date": "2026-01-01T10:00:01",
            "from": "B",
            "text": "",
            "photo": "p.jpg",
        },
    ]
    chats = {"chats": {"list": [{"name": "n", "type": "personal_chat", "id": 7, "messages": texts}]}}
    assert spoken(export("result.json", chats)) == [
        ("7", [("user", "A", "See x.org"), ("assistant", "B", "[media]")])
    ]


def test_a_message_of_discord_without_a_time_is_refused_and_the_rest_kept(export):
    messages = [
        {
            "type": "Default",
            "timestamp": "2026-01-01T10:00:00+00:00",
            "content": "Hi.",
            "author": {"name": "A"},
        },
        {"type": "Default", "timestamp": "soon", "content": "Ho.", "author": {"name": "B", "isBot": True}},
    ]
    path = export("discord.json", {"guild": {}, "channel": {"id": "9"}, "messages": messages})
    with pytest.raises(BadInput, match=r"field 'messages\[1\]\.timestamp': found the time 'soon'"):
        list(read(path, "dialogue"))
    (dialogue,) = read(path, "dialogue", on_bad=lambda line: None)
    assert (dialogue.item, [turn.text for turn in dialogue.turns]) == ("9", ["Hi."])


def test_rasa_s_texts_are_preferred_to_names_of_replies(export, said):
    events = [
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": "hello"},
        {"event": "action", "name": "utter_greet"},
        {"event": "bot", "text": "Hey!"},
    ]
    tracker = {"sender_id": "u", "latest_message": {}, "events": events}
    assert said(export("tracker.json", tracker)) == ("u", [("user", "hello"), ("assistant", "Hey!")], [])
    tracker["events"] = events[:3]
    assert said(export("tracker.json", tracker))[1][-1] == ("assistant", "[utter_greet]")


def test_a_session_of_adk(export, said):
    call = {"functionCall": {"id": "1", "name": "dice", "args": {"sides": 6}}}
    result = {"functionResponse": {"id": "1", "name": "dice", "response": {"value": 4}}}
    events = [
        {"author": "user", "content": {"role": "user", "parts": [{"text": "Roll."}]}},
        {"author": "agent", "content": {"role": "model", "parts": [{"text": "hm", "thought": True}, call]}},
        {"author": "agent", "content": {"role": "user", "parts": [result]}},
        {"author": "agent", "content": {"role": "model", "parts": [{"text": "A four."}]}},
    ]
    path = export("session.json", {"id": "s", "appName": "dicer", "userId": "u", "events": events})
    turns = [("user", "Roll."), ("assistant", ""), ("tool", '{"value": 4}'), ("assistant", "A four.")]
    assert said(path) == ("s", turns, ["dice"])


def test_a_list_of_messages_is_one_conversation_but_rows_with_a_conversation_are_many(export):
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    assert [one[0] for one in spoken(export("talk.json", messages))] == ["talk"]
    rows = [{**message, "ticket": str(at)} for at, message in enumerate(messages)]
    assert [one[0] for one in spoken(export("rows.json", rows))] == ["0", "1"]


def test_ordinary_files_are_not_taken_for_exports(export):
    ours = {"id": "a", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"trace_id": "t"}}
    (one,) = read(export("x.jsonl", [ours]), "dialogue")
    assert (one.item, one.metadata) == ("a", {"trace_id": "t"})
    example = {"id": "a", "context": [], "response": "r", "system": "s"}
    assert next(read(export("y.json", [example]), "example")).response.text == "r"
