"""Tables of configuration files: what is not understood is an error, and none passes unread."""

from pathlib import Path

import pytest

from es_simhash.errors import InputError
from es_simhash.store.toml_tables import read_toml


def test_one_string_and_a_list_of_them_are_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text("one = 'a'\nmany = ['a', 'b']\n[inner]\nkey = 1\n", "utf-8")
    table = read_toml(path)
    assert table.text_or_texts("one") == ("a",)
    assert table.text_or_texts("many") == ("a", "b")
    assert table.text_or_texts("none") is None
    assert table.has_table("inner")
    assert not table.has_table("one")
    assert table.table("inner").names() == ["key"]
    table.require_known()
    with pytest.raises(InputError, match=r"inner\.key is unknown"):
        table.table("inner").require_known()


def test_a_file_that_cannot_be_read_ends_in_a_sentence(tmp_path: Path) -> None:
    for path, sentence in ((tmp_path / "absent", "Set config."), (tmp_path, "Is a directory")):
        with pytest.raises(InputError, match=sentence):
            read_toml(path, "config")
    path = tmp_path / "a.toml"
    path.write_bytes(b"a = \xff")
    with pytest.raises(InputError, match="is not TOML"):
        read_toml(path)
