"""Plain text files, as nlg-eval reads them."""

from __future__ import annotations

from dialeval.data import Example, Response, read, read_texts


def test_nlg_evals_own_files_line_up(shared_data):
    folder = shared_data / "nlg-eval"
    first, second = read_texts(folder / "hyp.txt", [folder / "ref1.txt", folder / "ref2.txt"], system="mine")
    assert first == Example(
        "1",
        "mine",
        (),
        Response("this is the model generated sentence1 which seems good enough"),
        ("this is one reference sentence for sentence1", "this is one more reference sentence for sentence1"),
    )
    assert second.references[1] == "this is the second reference sentence for sentence2"


def test_empty_lines_are_empty_responses_and_absent_references(tmp_path):
    responses, one, two = (tmp_path / name for name in ("out.txt", "a.txt", "b.txt"))
    responses.write_bytes(b"hello\r\n\r\nyes")
    one.write_bytes(b"hi\n\nno\n")
    two.write_bytes(b"\nwell\n\n")
    examples = list(read_texts(responses, [one, two]))
    assert [(example.response.text, example.references) for example in examples] == [
        ("hello", ("hi",)),
        ("", ("well",)),
        ("yes", ("no",)),
    ]


def test_only_line_feeds_end_lines(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("one\u2028still one\x0cstill\ntwo\n", encoding="utf-8")
    assert [one.item for one in read(path, "example", format="text")] == ["1", "2"]
