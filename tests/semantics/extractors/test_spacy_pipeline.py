"""Texts read with spaCy pipelines: blank ones, with rules, and one trained here."""

import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from es_simhash.errors import InputError, MissingExtra, install_command
from es_simhash.semantics.extractors import spacy_pipeline
from es_simhash.semantics.extractors.spacy_documents import (
    extraction_of,
    merge_extractions,
    split_text,
)
from es_simhash.semantics.extractors.spacy_pipeline import SpacyExtractor
from es_simhash.semantics.languages import chinese
from es_simhash.semantics.languages.chinese_segmentation import load_dictionary
from es_simhash.semantics.languages.words import count_words
from es_simhash.semantics.semantic_profile import Entity, Extraction, Extractor, Phrase

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (extra: spacy)")

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether", "Kurt Goedel"]
CITIES = ["London", "Princeton", "Vienna", "Berlin"]
# Not every pair of them, so that a pair can be asked for that it was not trained on.
TRAINED = [f"{person} lives in {city} ." for person in PEOPLE for city in CITIES[:3]]
TRAINED += [
    f"Yesterday {person} worked all day in {city} ." for person in PEOPLE for city in CITIES
]


def annotated(sentence: str) -> dict[str, Any]:
    spans = [(sentence.find(person), person, "PERSON") for person in PEOPLE]
    spans += [(sentence.find(city), city, "CITY") for city in CITIES]
    return {"entities": [(at, at + len(name), label) for at, name, label in spans if at >= 0]}


@pytest.fixture(scope="module")
def trained() -> "Language":
    """A pipeline whose entity recogniser was trained on a few sentences."""
    from spacy.training import Example

    random.seed(1)
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = [Example.from_dict(nlp.make_doc(each), annotated(each)) for each in TRAINED]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(8):
        random.shuffle(examples)
        for start in range(0, len(examples), 9):
            nlp.update(examples[start : start + 9], sgd=optimizer)
    return nlp


@pytest.fixture
def ruled() -> "Language":
    """A blank pipeline with an entity ruler."""
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler", config={"phrase_matcher_attr": "LOWER"})
    ruler.add_patterns(
        [
            {"label": "ORG", "pattern": "european central bank"},
            {"label": "PERSON", "pattern": "christine lagarde"},
            {"label": "CARDINAL", "pattern": "two"},
        ]
    )
    return nlp


def parsed(nlp: "Language", rows: list[tuple[str, str, str, str, int]]) -> "Doc":
    """A document as a trained pipeline leaves it: word, lemma, part of speech, relation, head."""
    from spacy.tokens import Doc

    words, lemmas, kinds, deps, heads = (list(column) for column in zip(*rows, strict=True))
    return Doc(nlp.vocab, words=words, lemmas=lemmas, pos=kinds, deps=deps, heads=heads)


CATS = [
    ("The", "the", "DET", "det", 2),
    ("hungry", "hungry", "ADJ", "amod", 2),
    ("cats", "cat", "NOUN", "nsubj", 4),
    ("quickly", "quickly", "ADV", "advmod", 4),
    ("chased", "chase", "VERB", "ROOT", 4),
    ("7", "7", "NUM", "nummod", 7),
    ("grey", "grey", "ADJ", "amod", 7),
    ("mice", "mouse", "NOUN", "dobj", 4),
    (".", ".", "PUNCT", "punct", 4),
]


def words_of(pipeline: "str | Language", text: str) -> dict[str, int]:
    return dict(SpacyExtractor(pipeline).extract([text])[0].words)


def test_it_is_an_extractor(ruled: "Language") -> None:
    extractor: Extractor = SpacyExtractor(ruled)
    assert all(isinstance(each, Extraction) for each in extractor.extract(["a", "b"]))


def test_entities_keep_surface_label_count_and_offsets(ruled: "Language") -> None:
    text = "Christine Lagarde leads the European Central Bank. CHRISTINE LAGARDE spoke; two left."
    text += " Christine Lagarde too."
    (found,) = SpacyExtractor(ruled).extract([text])
    assert found.language == "en"
    assert found.entities == (
        Entity("Christine Lagarde", 3, ((0, 17), (51, 68), (86, 103)), "PERSON"),
        Entity("European Central Bank", 1, ((28, 49),), "ORG"),
    )


def test_a_trained_pipeline_finds_the_names_it_was_trained_on(trained: "Language") -> None:
    text = "Grace Hopper lives in Berlin ."
    assert text not in TRAINED
    (found,) = SpacyExtractor(trained).extract([text])
    assert found.entities == (
        Entity("Grace Hopper", 1, ((0, 12),), "PERSON"),
        Entity("Berlin", 1, ((22, 28),), "CITY"),
    )


def test_a_saved_pipeline_is_loaded_by_its_folder(trained: "Language", tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "names")
    text = "Alan Turing lives in Vienna ."
    loaded = SpacyExtractor(str(tmp_path / "names"))
    assert loaded.extract([text]) == SpacyExtractor(trained).extract([text])
    assert loaded.name == SpacyExtractor(trained).name


def test_words_are_counted_in_lower_case_without_stop_words_and_signs() -> None:
    text = "The banks, the BANKS and the Bank -- see https://bank.example or a@bank.example, 5 %!"
    assert words_of("blank:en", text) == {"banks": 2, "bank": 1}


def test_lemmas_and_parts_of_speech_are_used_where_there_are_any() -> None:
    found = extraction_of(parsed(spacy.blank("en"), CATS))
    assert found.words == {"hungry": 1, "cat": 1, "chase": 1, "grey": 1, "mouse": 1}


def test_noun_chunks_are_phrases_of_their_content_words() -> None:
    doc = parsed(spacy.blank("en"), [*CATS, *[(*row[:4], row[4] + 9) for row in CATS]])
    found = extraction_of(doc)
    assert [(each.text, each.count) for each in found.phrases] == [
        ("hungry cat", 2),
        ("grey mouse", 2),
    ]
    assert [doc.text[start:end] for start, end in found.phrases[0].spans] == ["hungry cats"] * 2
    assert [doc.text[start:end] for start, end in found.phrases[1].spans] == ["grey mice"] * 2


def test_a_language_without_noun_chunks_has_no_phrases() -> None:
    doc = parsed(spacy.blank("hi"), CATS)
    assert extraction_of(doc).phrases == ()


def test_a_single_noun_is_a_word_and_no_phrase() -> None:
    rows = [("Cats", "cat", "NOUN", "nsubj", 1), ("sleep", "sleep", "VERB", "ROOT", 1)]
    found = extraction_of(parsed(spacy.blank("en"), rows))
    assert (found.phrases, found.words) == ((), {"cat": 1, "sleep": 1})


def test_the_language_of_any_pipeline_is_unknown() -> None:
    assert SpacyExtractor("blank:xx").extract(["Berlin"])[0].language == ""
    assert SpacyExtractor("blank:de").extract(["Berlin"])[0].language == "de"


def test_each_text_of_a_batch_has_its_own_extraction(
    ruled: "Language", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spacy_pipeline, "BATCH_SIZE", 3)
    texts = [f"word{chr(97 + number)} spoke" for number in range(20)]
    texts[3] = ""
    batch = SpacyExtractor(ruled).extract(texts)
    assert batch == [each for text in texts for each in SpacyExtractor(ruled).extract([text])]
    assert batch[3] == Extraction("en")
    assert SpacyExtractor(ruled).extract([]) == []


@pytest.mark.parametrize("language", ["en", "zh", "ja", "th", "ko", "ar", "hi", "km", "xx"])
def test_every_text_is_read_in_every_language(language: str) -> None:
    odd = ["", " ", "\n\n", "a", "😀", "\ud83d half", "\x00", "中文没有空格"]
    scripts = ["عربي", "हिन्दी", "ภาษาไทย", "日本語です", "한국어", "ქართული", "word " * 3000]
    extractor = SpacyExtractor(f"blank:{language}")
    found = extractor.extract([*odd, *scripts])
    assert len(found) == len(odd) + len(scripts)
    assert [each.words for each in found[:3]] == [{}, {}, {}]
    assert found[-1].words == {"word": 3000}


def test_long_texts_are_read_in_pieces_with_the_right_offsets(ruled: "Language") -> None:
    paragraph = "The European Central Bank met. Christine Lagarde spoke of rates.\n\n"
    text = paragraph * 40
    (whole,) = SpacyExtractor(ruled).extract([text])
    ruled.max_length = 150
    extractor = SpacyExtractor(ruled)
    (found, short) = extractor.extract([text, paragraph])
    assert found == whole
    assert short == extractor.extract([paragraph])[0]
    bank, lagarde = found.entities
    assert (bank.count, lagarde.count) == (40, 40)
    assert {text[start:end] for start, end in bank.spans} == {"European Central Bank"}
    assert {text[start:end] for start, end in lagarde.spans} == {"Christine Lagarde"}


@pytest.mark.parametrize(
    ("text", "most", "pieces"),
    [
        ("", 5, [""]),
        ("abcdef", 6, ["abcdef"]),
        ("abcdef", 4, ["abcd", "ef"]),
        ("aa bb cc", 5, ["aa ", "bb cc"]),
        ("aa bb cc", 6, ["aa bb ", "cc"]),
        ("One. Two three", 10, ["One. ", "Two three"]),
        ("a b\nc. d e", 8, ["a b\n", "c. d e"]),
        ("a\n\nb\nc d", 6, ["a\n\n", "b\nc d"]),
        ("今日。明日は", 4, ["今日。", "明日は"]),
    ],
)
def test_long_texts_are_cut_at_the_best_border(text: str, most: int, pieces: list[str]) -> None:
    cut = list(split_text(text, most))
    assert [piece for _, piece in cut] == pieces
    assert all(text.startswith(piece, offset) for offset, piece in cut)


def test_pieces_are_joined_to_one_extraction() -> None:
    one = Extraction(
        "en",
        {"a": 1},
        entities=(Entity("A", 1, ((0, 1),)),),
        phrases=(Phrase("a b", 1, ((0, 3),)),),
    )
    other = Extraction(
        "en",
        {"a": 2, "b": 1},
        entities=(Entity("A", 2, ((7, 8),)),),
        phrases=(Phrase("a b", 1, ((5, 8),)),),
    )
    assert merge_extractions([one, other]) == Extraction(
        "en",
        {"a": 3, "b": 1},
        entities=(Entity("A", 3, ((0, 1), (7, 8))),),
        phrases=(Phrase("a b", 2, ((0, 3), (5, 8))),),
    )


@pytest.mark.parametrize(
    ("language", "package", "text"),
    [
        ("ja", "sudachipy", "東京都は新しい政策を発表した。"),
        ("th", "pythainlp", "กรุงเทพมหานครเป็นเมืองหลวง"),
        ("ko", "mecab", "서울은 대한민국의 수도이다"),
        ("vi", "pyvi", "Hà Nội là thủ đô"),
    ],
)
def test_without_the_package_of_a_tokenizer_words_are_cut_by_ours(
    language: str, package: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (package, f"{package}.tokenize", "natto", "mecab_ko"):
        monkeypatch.setitem(sys.modules, name, None)
    extractor = SpacyExtractor(f"blank:{language}")
    assert extractor.extract([text, ""]) == [
        Extraction(language, count_words(text, language)),
        Extraction(language),
    ]
    assert extractor.name == f"words-{language}.v1"


@pytest.mark.parametrize(
    ("language", "package", "text", "word"),
    [
        ("ja", "sudachipy", "東京都は新しい政策を発表した。" * 1500, "政策"),
        ("th", "pythainlp", "กรุงเทพมหานครเป็นเมืองหลวง", "เมืองหลวง"),
    ],
)
def test_the_tokenizer_of_a_language_is_used_when_its_package_is_there(
    language: str, package: str, text: str, word: str
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    extractor = SpacyExtractor(f"blank:{language}")
    assert extractor.extract([text])[0].words[word] == text.count(word)
    assert extractor.name.startswith("spacy")


def test_chinese_words_come_from_jieba_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "北京市发布新的政策"
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "jieba", None)
        load_dictionary.cache_clear()
        # The scheme is the same on all machines, and so is how it reads a text.
        with pytest.raises(MissingExtra, match=re.escape(install_command("chinese"))):
            words_of("blank:zh", text)
        assert SpacyExtractor("blank:zh").name == "words-zh-jieba.v1"
    load_dictionary.cache_clear()
    monkeypatch.setattr(chinese, "words", lambda text: [text[:3], text[-2:]])
    assert words_of("blank:zh", text) == {"北京市": 1, "政策": 1}
    assert SpacyExtractor("blank:zh").name == "words-zh-jieba.v1"


def test_the_name_says_what_the_output_depends_on(ruled: "Language") -> None:
    ruled.meta["name"], ruled.meta["version"] = "banks", "1.2.3"
    name = SpacyExtractor(ruled).name
    assert name == f"spacy{spacy.__version__}-en_banks-1.2.3+entity_ruler.v1"


def test_a_pipeline_that_is_not_installed_is_named_with_the_way_to_install_it() -> None:
    with pytest.raises(MissingExtra) as caught:
        SpacyExtractor("en_core_web_xyz")
    assert "'en_core_web_xyz'" in str(caught.value)
    assert "python -m spacy download en_core_web_xyz" in str(caught.value)


def test_a_folder_that_holds_no_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        SpacyExtractor(str(tmp_path))


def test_a_saved_pipeline_with_an_unknown_component_is_refused(
    ruled: "Language", tmp_path: Path
) -> None:
    ruled.to_disk(tmp_path)
    config = tmp_path / "config.cfg"
    config.write_text(
        config.read_text("utf-8").replace('"entity_ruler"', '"no_such_part"'), "utf-8"
    )
    with pytest.raises(InputError, match="no_such_part") as caught:
        SpacyExtractor(str(tmp_path))
    assert "\n" not in str(caught.value)


def test_a_pipeline_whose_tokenizer_is_missing_says_so(
    ruled: "Language", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled.to_disk(tmp_path)
    config = tmp_path / "config.cfg"
    text = config.read_text("utf-8").replace('lang = "en"', 'lang = "th"')
    config.write_text(text.replace("spacy.Tokenizer.v1", "spacy.th.ThaiTokenizer"), "utf-8")
    monkeypatch.setitem(sys.modules, "pythainlp.tokenize", None)
    with pytest.raises(MissingExtra, match=r"(?i)needs a package.*pythainlp"):
        SpacyExtractor(str(tmp_path))


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="'qq'"):
        SpacyExtractor("blank:qq")


def test_without_spacy_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("spacy"))):
        SpacyExtractor("en_core_web_sm")
