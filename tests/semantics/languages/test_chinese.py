"""Chinese words and names through jieba."""

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from math import isclose

import pytest

from es_simhash.errors import MissingExtra, install_command
from es_simhash.semantics.languages import chinese, chinese_segmentation

TEXT = "李开复昨天在北京大学发表演讲，迈克尔·乔丹没有去上海。NATO与ESPN报道了20次。"


@pytest.fixture
def without_jieba(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "jieba", None)
    chinese_segmentation.load_dictionary.cache_clear()
    yield
    chinese_segmentation.load_dictionary.cache_clear()


def test_a_missing_jieba_is_named_with_its_extra(without_jieba: None) -> None:
    with pytest.raises(MissingExtra, match=re.escape(install_command("chinese"))):
        chinese.words("北京")


@pytest.mark.long
def test_loading_writes_nothing_to_the_standard_error() -> None:
    pytest.importorskip("jieba")
    code = "from es_simhash.semantics.languages.chinese import words; print(len(words('北京大学')))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("1", "")


@pytest.mark.long
def test_words_have_two_characters_and_no_stop_words() -> None:
    pytest.importorskip("jieba")
    found = chinese.words(TEXT)
    assert {"北京大学", "演讲", "nato", "espn"} <= set(found)
    assert not {"没有", "20", "去", "，"} & set(found)


def test_words_stand_where_they_say() -> None:
    pytest.importorskip("jieba")
    for word in chinese.words_with_offsets(TEXT):
        assert TEXT[word.start : word.end].lower() == word.normal


@pytest.mark.parametrize(
    "address",
    [
        "http://t.cn/zOabcde",
        "HTTPS://news.example.com.cn/2011/a.html?x=1#top",
        "www.example.org",
        "http://",
        "http:url cn/2qgyrp",
        "example.net",
    ],
)
def test_web_addresses_are_no_words(address: str) -> None:
    pytest.importorskip("jieba")
    found = chinese.words(f"北京大学{address}，发表演讲")
    assert {"北京大学", "演讲"} <= set(found)
    assert not {"cn", "com", "http", "https", "net", "news", "org", "url", "www"} & set(found)
    # Nothing behind an address is lost, not even without a space.
    assert "演讲" in chinese.words(f"北京大学{address}演讲")


def test_words_that_begin_like_addresses_are_read() -> None:
    pytest.importorskip("jieba")
    assert {"httpd", "wwwroot"} <= set(chinese.words("httpd的目录是wwwroot"))


def test_words_within_longer_words_are_its_parts() -> None:
    pytest.importorskip("jieba")
    parts = chinese.word_parts({"北京大学": 3, "大学生": 2, "北京": 1, "http": 1})
    assert parts["北京"] == 3
    assert parts["大学"] == 5
    assert all(2 <= len(part) <= 3 for part in parts)
    # Neither a word itself, nor what is in no dictionary, nor a stop word.
    assert not {"北京大学", "京大", "ht"} & set(parts)
    assert "什么" not in chinese.word_parts({"为什么": 1})


@pytest.mark.long
def test_the_cut_is_that_of_jieba() -> None:
    jieba = pytest.importorskip("jieba")
    logging.getLogger("jieba").setLevel(logging.WARNING)
    texts = [
        "小明硕士毕业于中国科学院计算所后在日本京都大学深造",
        "他来到了网易杭研大厦",
        "乒乓球拍卖完了",
    ]
    for text in texts:
        assert [piece.text for piece in chinese.pieces(text)] == jieba.lcut(text)


def test_persons_places_and_organisations_are_names() -> None:
    pytest.importorskip("jieba")
    found = {entity.text: entity.label for entity in chinese.words_and_names(TEXT)[1]}
    assert found == {"李开复": "nr", "北京大学": "nt", "迈克尔·乔丹": "nr", "上海": "ns"}


def test_names_carry_each_of_their_places() -> None:
    pytest.importorskip("jieba")
    text = "上海和北京，北京和上海"
    for entity in chinese.words_and_names(text)[1]:
        assert entity.count == 2
        assert all(text[start:end] == entity.text for start, end in entity.spans)


def test_reading_at_once_gives_the_same_words() -> None:
    pytest.importorskip("jieba")
    counts, _ = chinese.words_and_names(TEXT)
    assert sum(counts.values()) == len(chinese.words(TEXT))
    assert set(counts) == set(chinese.words(TEXT))


def test_frequencies_are_shares_of_all_words() -> None:
    pytest.importorskip("jieba")
    found = chinese_segmentation.word_frequencies()
    assert isclose(sum(found.values()), 1)
    assert found["中国"] > found["北京大学"]


@pytest.mark.parametrize("text", ["", "，。", "👍", "a", "\x00", "ひらがな", "ABC def"])
def test_texts_without_chinese_words_do_no_harm(text: str) -> None:
    pytest.importorskip("jieba")
    assert chinese.words_and_names(text)[1] == ()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize("part", ["丂", "中国", "的", "鿿鿾", "𠀀"])
def test_a_long_line_without_punctuation_is_read(part: str) -> None:
    pytest.importorskip("jieba")
    text = part * (100_000 // len(part))
    assert "".join(piece.text for piece in chinese.pieces(text)) == text
