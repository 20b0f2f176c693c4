"""What used to be passed over in silence or for minutes: keys twice, old encodings, millions of blank lines."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from hypothesis import given, strategies as st

from dialeval.data import SideFile, read, read_texts
from dialeval.data.codec import sources, tables
from dialeval.data.codec.bad import Where
from dialeval.data.codec.jsonl import loads
from dialeval.errors import BadInput

LINE = {"id": "a", "system": "s", "context": [{"role": "user", "content": "Hi: you."}], "response": "Ho."}


class TestKeysTwice:
    @pytest.mark.parametrize(
        ("line", "field"),
        [
            ('{"id": "a", "response": "Hi.", "response": "Ho."}', "response"),
            ('{"id": "a", "response" : "Hi.", "response" : "Ho."}', "response"),
            (
                '{"id": "a", "context": [{"role": "user", "content": "x", "content": "y"}], "response": "Ho."}',
                "content",
            ),
            ('{"id": "a", "response": "Hi.", "meta": {"b": {"c": 1, "c": 2}}}', "c"),
            ('{"id": "a", "response": "say \\": again", "id": "b"}', "id"),
        ],
    )
    def test_two_values_under_one_key_are_refused_by_line_and_key(self, put, line, field):
        name = put("x.jsonl", f"{json.dumps({**LINE, 'id': 'first'})}\n{line}\n")
        with pytest.raises(
            BadInput, match="found the key twice, with two values, expected each key once"
        ) as bad:
            list(read(name, "example"))
        assert (bad.value.line, bad.value.field) == (2, field)
        with pytest.raises(BadInput, match="the key twice"):
            list(read(put("x.json", f"[{line}]"), "example"))

    def test_the_same_value_twice_says_nothing_else(self, put):
        (example,) = read(put("x.jsonl", '{"id": "a", "id": "a", "response": "Hi."}'), "example")
        assert (example.item, example.response.text) == ("a", "Hi.")

    def test_the_line_is_set_aside_with_the_others_that_are_bad(self, put, tmp_path):
        name = put("x.jsonl", '{"id": "a", "response": "1", "response": "2"}\n{"id": "b", "response": "3"}\n')
        side = SideFile(tmp_path / "x.bad.jsonl")
        assert [example.item for example in read(name, "example", on_bad=side)] == ["b"]
        assert side.count == 1

    @given(
        st.recursive(
            st.none() | st.booleans() | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        )
    )
    def test_json_without_a_repeated_key_is_read_as_it_is(self, value):
        assert loads(json.dumps(value), Where("x", 1)) == value
        assert loads(json.dumps(value, separators=(" ,", " : ")), Where("x", 1)) == value


class TestOldEncodings:
    @pytest.mark.parametrize(
        ("text", "codec", "name"),
        [
            ("営業時間は9時から17時までです。", "cp932", "SHIFT_JIS"),
            ("営業時間は9時から17時までです。", "euc_jp", "EUC-JP"),
            ("영업시간은 9시부터입니다", "cp949", "EUC-KR"),
            ("我们的营业时间是九点到五点", "gb18030", "GB18030"),
            ("我們的營業時間是九點到五點", "big5", "BIG5"),
            ("Мы работаем с девяти", "cp1251", "WINDOWS-1251"),
            ("Мы работаем с девяти", "koi8_r", "KOI8-R"),
        ],
    )
    @pytest.mark.parametrize("ending", ["jsonl", "csv", "txt"])
    def test_the_error_names_the_encoding_and_the_command(self, put, text, codec, name, ending):
        whole = {
            "jsonl": f'{{"id": "1", "response": "{text}"}}\n',
            "csv": f"id,response\n1,{text}\n",
            "txt": f"{text}\n",
        }[ending]
        path = put(f"my chats.{ending}", whole.encode(codec))
        with pytest.raises(BadInput) as bad:
            list(read(path, "example"))
        command = f"iconv -f {name} -t UTF-8 'my chats.{ending}' > 'utf8-my chats.{ending}'"
        assert f"It looks like {name}. Save it as UTF-8, or convert it: {command}." in str(bad.value)


class TestBlankLines:
    def test_a_packed_file_of_them_is_refused_before_it_is_unpacked(self, put):
        name = put("x.jsonl.gz", gzip.compress(b"\n" * 2_000_000) * 100)
        start = time.process_time()
        with pytest.raises(BadInput, match="found more than 1,000,000 blank lines in a row"):
            list(read(name, "example"))
        assert time.process_time() - start < 20  # 191 s before

    @pytest.mark.parametrize("line", ["\n", " \t\r\n"])
    @pytest.mark.parametrize("ending", ["jsonl", "txt"])
    def test_whatever_the_format_and_the_blanks(self, put, ending, line, monkeypatch):
        monkeypatch.setattr(sources, "MOST_BLANK", 100)
        with pytest.raises(BadInput, match="found more than 100 blank lines in a row"):
            list(read_texts(put(f"x.{ending}", line * 200), ()))

    def test_rows_without_content_too(self, put, monkeypatch):
        monkeypatch.setattr(tables, "MOST_BLANK", 100)
        with pytest.raises(BadInput, match="blank lines in a row"):
            list(read(put("x.csv", "id,response\n" + ",\n" * 200), "example"))

    def test_fewer_are_skipped_and_empty_responses_stay(self, put, monkeypatch):
        monkeypatch.setattr(sources, "MOST_BLANK", 100)
        lines = "\n" * 99 + '{"response": "Hi."}\n' + "\n" * 99 + '{"response": "Ho."}\n'
        assert len(list(read(put("x.jsonl", lines), "example"))) == 2
        assert len(list(read_texts(put("x.txt", "Hi.\n" + "\n" * 99), ()))) == 100
