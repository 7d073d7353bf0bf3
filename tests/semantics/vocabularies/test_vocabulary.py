"""Vocabularies: which concepts a text is about, and what two texts have in common."""

import json
import sys

import pytest

from es_simhash.errors import InputError
from es_simhash.semantics.vocabularies.shared_vocabulary import common_concepts
from es_simhash.semantics.vocabularies.vocabulary import Concept, ConceptMatch, Vocabulary
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary


def _concept(id: str, *broader: str, **labels: list[str]) -> Concept:
    return Concept(
        id,
        {tag: some[0] for tag, some in labels.items()},
        {tag: tuple(some) for tag, some in labels.items()},
        broader,
    )


def _vocabulary(*concepts: Concept, **settings) -> Vocabulary:
    return Vocabulary({each.id: each for each in concepts}, **settings)


def _labels(*labels: str) -> Vocabulary:
    return _vocabulary(*(_concept(label, en=[label]) for label in labels))


def _found(vocabulary: Vocabulary, text: str, language: str = "en") -> dict[str, ConceptMatch]:
    return {each.id: each for each in vocabulary.find(text, language)}


ECONOMY = _vocabulary(
    _concept("economy", en=["economy"], de=["Wirtschaft"]),
    _concept("policy", "economy", en=["monetary policy"], de=["Geldpolitik"]),
    _concept("rates", "policy", en=["interest rates"], de=["Zinsen", "Leitzins"]),
    _concept("banks", "policy", en=["central banks", "ECB"], de=["Zentralbank", "EZB"]),
    _concept("steel", "economy", en=["steel"], de=["Stahl"]),
)


def test_a_label_is_found_in_other_numbers_and_cases():
    text = "INTEREST RATE and Interest Rates"
    found = _found(ECONOMY, text)["rates"]
    assert [text[start:end] for start, end in found.spans] == ["INTEREST RATE", "Interest Rates"]
    assert found.count == 2


def test_the_longest_label_is_taken():
    vocabulary = _labels("interest", "interest rate", "interest rate policy")
    assert set(_found(vocabulary, "the interest rate policy")) == {"interest rate policy"}
    assert set(_found(vocabulary, "the interest rate of policy")) == {"interest rate"}


def test_of_overlapping_labels_the_one_of_more_words_is_taken_though_it_begins_later():
    vocabulary = _labels("new york", "york stock exchange")
    assert set(_found(vocabulary, "the New York Stock Exchange")) == {"york stock exchange"}


def test_a_shorter_label_is_found_where_a_longer_one_is_blocked():
    vocabulary = _labels("one two three four", "four five six", "five six")
    found = _found(vocabulary, "one two three four five six")
    assert set(found) == {"one two three four", "five six"}


def test_a_label_at_the_end_of_a_text_is_found():
    assert set(_found(_labels("new york", "new york city"), "in New York")) == {"new york"}


def test_a_label_of_two_concepts_gives_both_and_shares_its_weight():
    vocabulary = _vocabulary(
        _concept("river", en=["riverside", "bank"]), _concept("money", en=["lender", "bank"])
    )
    found = _found(vocabulary, "a bank")
    assert {id: each.weight for id, each in found.items()} == {"river": 0.5, "money": 0.5}
    assert {each.count for each in found.values()} == {1}


def test_labels_do_not_reach_across_the_end_of_a_sentence_or_paragraph():
    vocabulary = _labels("interest rates")
    for text in ("of interest. Rates rose", "of interest, rates", "interest\n\nrates"):
        assert not vocabulary.find(text, "en")
    for text in ("interest  rates", "interest\nrates", "interest-rates"):
        assert vocabulary.find(text, "en")


def test_a_label_with_punctuation_is_found_as_it_is_written():
    vocabulary = _labels("crime, law and justice", "U.S. dollar")
    text = "Crime, law and justice in U.S. dollars"
    assert set(_found(vocabulary, text)) == {"crime, law and justice", "U.S. dollar"}


def test_numbers_belong_to_a_label():
    vocabulary = _labels("COVID-19", "Basel III", "20/20")
    assert set(_found(vocabulary, "Covid-19, 20/20")) == {"COVID-19", "20/20"}
    assert not vocabulary.find("Covid 2020, Covid-20", "en")


def test_short_capitals_are_found_in_capitals_only():
    vocabulary = _labels("AIDS", "WHO", "NGO", "interest rate", "central bank", "steel", "oil")
    assert set(_found(vocabulary, "WHO's fight against AIDS, by NGOs")) == {"WHO", "AIDS", "NGO"}
    assert not vocabulary.find("He who aids others with foreign aid", "en")


def test_capitals_mean_the_abbreviation_rather_than_the_word():
    vocabulary = _labels("CAP", "cap", "steel")
    assert set(_found(vocabulary, "Reform of the CAP")) == {"CAP"}
    assert set(_found(vocabulary, "A red cap")) == {"cap"}


def test_a_vocabulary_all_in_capitals_is_found_in_any_case():
    assert set(_found(_labels("TAX", "STEEL", "OIL"), "A tax on steel")) == {"TAX", "STEEL"}


def test_stop_words_and_single_letters_are_not_looked_for():
    assert not _labels("the", "it", "C", "steel").find("It is the C of c", "en")


def test_a_broader_concept_weighs_less_at_each_level():
    found = _found(ECONOMY, "interest rates")
    assert (found["rates"].weight, found["policy"].weight, found["economy"].weight) == (
        1,
        0.5,
        0.25,
    )
    assert [found[id].level for id in ("rates", "policy", "economy")] == [0, 1, 2]
    assert (found["policy"].count, found["policy"].spans) == (0, ())
    assert found["policy"].via == found["economy"].via == ("interest rates",)


def test_decay_and_levels_are_as_given():
    steep = _vocabulary(*ECONOMY.concepts.values(), decay=0.1)
    assert _found(steep, "interest rates")["economy"].weight == pytest.approx(0.01)
    low = _vocabulary(*ECONOMY.concepts.values(), levels=1)
    assert set(_found(low, "interest rates")) == {"rates", "policy"}
    for nothing in ({"decay": 0}, {"levels": 0}):
        flat = _vocabulary(*ECONOMY.concepts.values(), **nothing)
        assert set(_found(flat, "interest rates")) == {"rates"}


@pytest.mark.parametrize("setting", [{"decay": 1.5}, {"decay": -0.1}, {"levels": -1}])
def test_decay_and_levels_that_make_no_sense_are_refused(setting):
    with pytest.raises(InputError, match=str(next(iter(setting.values())))):
        Vocabulary({}, **setting)


def test_more_mentions_weigh_more_and_come_first_in_via():
    found = _found(ECONOMY, "Interest rates. The ECB and interest rates; interest rates")
    assert found["rates"].weight > found["banks"].weight
    assert found["policy"].via == ("interest rates", "central banks")
    once = _found(ECONOMY, "Interest rates.")
    assert found["policy"].weight > once["policy"].weight


def test_cycles_end():
    vocabulary = _vocabulary(
        _concept("a", "b", en=["alpha"]),
        _concept("b", "c", en=["beta"]),
        _concept("c", "a", "c", en=["gamma"]),
        levels=50,
    )
    assert {id: each.level for id, each in _found(vocabulary, "alpha").items()} == {
        "a": 0,
        "b": 1,
        "c": 2,
    }


def test_a_broader_concept_that_is_not_there_is_passed_over():
    assert set(_found(_vocabulary(_concept("a", "gone", en=["alpha"])), "alpha")) == {"a"}


def test_labels_of_the_language_of_the_text_are_looked_for():
    assert set(_found(ECONOMY, "Die EZB senkt den Leitzins", "de")) == {
        "banks",
        "rates",
        "policy",
        "economy",
    }
    assert _found(ECONOMY, "Der Leitzins", "de-AT")["policy"].label == "Geldpolitik"
    assert not ECONOMY.find("Der Leitzins", "en")


def test_a_text_of_another_language_is_read_in_that_of_the_vocabulary():
    for language in ("fr", ""):
        assert "steel" in _found(ECONOMY, "Le steel", language)


def test_a_concept_without_label_in_a_language_is_found_and_shown_by_another():
    vocabulary = _vocabulary(_concept("a", de=["Bundestag"]), _concept("b", en=["steel"]))
    found = _found(vocabulary, "The Bundestag on steel", "en")
    assert {each.label for each in found.values()} == {"Bundestag", "steel"}


@pytest.mark.parametrize("tag", ["no", "nb", "nn"])
def test_norwegian_labels_are_found_under_each_code_of_norwegian(tag):
    vocabulary = _vocabulary(_concept("policy", en=["monetary policy"], **{tag: ["pengepolitikk"]}))
    found = _found(vocabulary, "Norges Bank fører pengepolitikk.", "nb")
    assert found["policy"].label == "pengepolitikk"


def test_labels_without_language_are_of_every_language():
    concept = Concept("a", {"": "Euro"}, {"": ("Euro",), "de": ("Eurowährung",)})
    vocabulary = _vocabulary(concept, ECONOMY.concepts["steel"])
    for language in ("en", "de"):
        assert _found(vocabulary, "Der Euro", language)["a"].label == "Euro"


def test_chinese_labels_are_found_inside_a_run_of_characters():
    vocabulary = _vocabulary(
        _concept("policy", zh=["货币政策"]),
        _concept("rate", "policy", zh=["利率"]),
        _concept("bank", "policy", zh=["中国人民银行", "央行"]),
    )
    text = "中国人民银行上调利率。"
    found = _found(vocabulary, text, "zh")
    assert {id: [text[slice(*span)] for span in each.spans] for id, each in found.items()} == {
        "bank": ["中国人民银行"],
        "rate": ["利率"],
        "policy": [],
    }
    (shared,) = common_concepts(
        vocabulary.find("央行宣布", "zh"), vocabulary.find("利率上升", "zh")
    )
    assert shared.sentence() == "shared concept: 货币政策, through 中国人民银行 / 利率"


def test_chinese_words_with_one_left_out_between_them_are_not_a_label():
    vocabulary = _vocabulary(_concept("boc", zh=["中国银行"]))
    assert vocabulary.find("在中国银行工作", "zh")
    assert not vocabulary.find("中国的银行", "zh")
    assert not vocabulary.find("在中国，银行", "zh")


@pytest.mark.parametrize("text", ["東京・京都", "東京/京都", "「東京」「京都」", "東京 京都"])
def test_words_side_by_side_are_no_label_in_which_they_overlap(text):
    vocabulary = _vocabulary(*(_concept(name, ja=[name]) for name in ("東京都", "東京", "京都")))
    assert set(_found(vocabulary, text, "ja")) == {"東京", "京都"}
    assert set(_found(vocabulary, f"{text}、東京都", "ja")) == {"東京", "京都", "東京都"}
    # Nor are words that overlap a label in which they do not.
    apart = _vocabulary(_concept("both", ja=[text]))
    assert apart.find(text, "ja")
    assert not apart.find("東京都", "ja")


def test_words_of_a_label_overlap_where_they_do_in_it():
    vocabulary = _vocabulary(_concept("people", zh=["中国人"]), _concept("jr", zh=["JR東日本"]))
    assert not vocabulary.find("中国·国人", "zh")
    assert not vocabulary.find("JR東日、日本", "zh")
    assert set(_found(vocabulary, "在中国人和JR東日本之间", "zh")) == {"people", "jr"}


@pytest.mark.parametrize("language", ["zh", "ja", "th", "ar", "hi", "de", "tr", "", "xx"])
@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\n", "🙂🙃", "a", "ก", "的", "सरकार", "الحكومة", "\x00", "\ud800", "1"],
)
def test_no_text_is_too_strange(text, language):
    vocabulary = _vocabulary(*ECONOMY.concepts.values(), _concept("g", hi=["सरकार"], th=["ก"]))
    for found in vocabulary.find(text, language):
        assert all(0 <= start < end <= len(text) for start, end in found.spans)


@pytest.mark.long
def test_a_text_of_hundreds_of_thousands_of_words_is_read():
    text = "interest rates and words " * 60_000
    found = _found(ECONOMY, text)
    assert found["rates"].count == 60_000
    assert set(found) == {"rates", "policy", "economy"}


def test_through_what_two_texts_are_about_the_same_is_said():
    a = ECONOMY.find("Interest rates rose.", "en")
    b = ECONOMY.find("The ECB met other central banks.", "en")
    (shared,) = common_concepts(a, b)
    assert (shared.through_a, shared.through_b) == (("interest rates",), ("central banks",))
    assert shared.sentence() == (
        "shared concept: monetary policy, through interest rates / central banks"
    )


def test_a_broader_concept_is_not_reported_when_both_name_the_narrower_one():
    a = ECONOMY.find("Interest rates and the economy of steel", "en")
    b = ECONOMY.find("An interest rate", "en")
    assert [each.sentence() for each in common_concepts(a, b)] == ["shared concept: interest rates"]


def test_a_broader_concept_is_reported_when_each_names_something_else_too():
    a = ECONOMY.find("Steel and interest rates", "en")
    b = ECONOMY.find("Steel and central banks", "en")
    assert [each.sentence() for each in common_concepts(a, b)] == [
        "shared concept: steel",
        "shared concept: monetary policy, through interest rates / central banks",
    ]


def test_a_concept_one_names_itself_and_the_other_through_a_narrower_one_is_reported():
    a, b = ECONOMY.find("monetary policy", "en"), ECONOMY.find("the ECB", "en")
    (shared,) = common_concepts(a, b)
    assert shared.sentence() == (
        "shared concept: monetary policy, through monetary policy / central banks"
    )


def test_texts_in_two_languages_have_concepts_in_common():
    a, b = ECONOMY.find("Interest rates", "en"), ECONOMY.find("Die Zentralbank", "de")
    (shared,) = common_concepts(a, b)
    assert (
        shared.sentence() == "shared concept: monetary policy, through interest rates / Zentralbank"
    )


def test_many_names_on_a_side_are_counted():
    narrower = [_concept(f"n{place}", "top", en=[f"narrow{place} thing"]) for place in range(6)]
    vocabulary = _vocabulary(_concept("top", en=["top"]), *narrower)
    a = vocabulary.find(", ".join(each.labels["en"][0] for each in narrower[:5]), "en")
    b = vocabulary.find("narrow5 thing", "en")
    (shared,) = common_concepts(a, b)
    assert len(shared.through_a) == 5
    assert " and 2 more / narrow5 thing" in shared.sentence()


def test_a_label_of_several_concepts_is_matched_once():
    vocabulary = _vocabulary(
        _concept("river", en=["riverside", "bank"]), _concept("money", en=["lender", "bank"])
    )
    a, b = vocabulary.find("a bank", "en"), vocabulary.find("the bank", "en")
    assert len(common_concepts(a, b)) == 1
    clearer = vocabulary.find("the bank, a lender", "en")
    assert {each.label for each in common_concepts(clearer, clearer)} == {"riverside", "lender"}


def test_nothing_in_common_is_an_empty_list():
    a, b = _labels("steel", "oil").find("steel", "en"), _labels("steel", "oil").find("oil", "en")
    assert common_concepts(a, b) == common_concepts(a, []) == []


def test_the_kept_form_gives_the_same_vocabulary():
    kept = _vocabulary(
        *ECONOMY.concepts.values(),
        language="de",
        decay=0.3,
        levels=1,
        problems=("It was strange.",),
    )
    again = Vocabulary.from_json(kept.to_json())
    assert again == kept
    assert again.find("Der Leitzins", "de") == kept.find("Der Leitzins", "de")


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format":"other"}', "[" * 100_000])
def test_what_is_no_kept_form_is_refused(text):
    with pytest.raises(InputError, match="not a vocabulary"):
        Vocabulary.from_json(text)


def test_a_kept_form_is_loaded_without_rdflib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdflib", None)
    path = tmp_path / "kept.json"
    path.write_text(ECONOMY.to_json(), "utf-8")
    loaded = load_vocabulary(path, "de", decay=0.2, levels=1)
    assert (loaded.language, loaded.decay, loaded.levels) == ("de", 0.2, 1)
    assert loaded.concepts == ECONOMY.concepts


def test_a_broken_kept_form_is_named(tmp_path):
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(json.loads(ECONOMY.to_json()), separators=(",", ":"))[:-20])
    with pytest.raises(InputError, match=r"kept\.json: This is not a vocabulary"):
        load_vocabulary(path)


def test_a_file_of_another_suffix_is_refused_with_those_that_are_known(tmp_path):
    with pytest.raises(InputError, match=r"words\.docx is no vocabulary .*\.syn.*\.ttl"):
        load_vocabulary(tmp_path / "words.docx")


def test_a_file_is_read_again_only_when_it_changed(tmp_path):
    path = tmp_path / "words.syn"
    path.write_text("car, auto\n")
    first = load_vocabulary(path)
    assert load_vocabulary(path) is first
    path.write_text("car, auto\nbike, bicycle\n")
    assert len(load_vocabulary(path).concepts) == 2
