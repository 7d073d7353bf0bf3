"""Named entities by rules."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.semantics.entities.entity_rules import find_entities
from tests.bench import entities as bench_entities


def names(text: str, language: str = "en") -> list[str]:
    return [entity.text for entity in find_entities(text, language)]


@settings(deadline=None)  # the first text reads the word lists
@given(st.text(st.sampled_from("aAbBéÉжЖ中の. \n'’-&1\u00a0\x00İßof")) | st.text())
def test_mentions_are_the_text_at_their_places(text: str) -> None:
    for entity in find_entities(text, "en"):
        assert len(entity.spans) == entity.count
        forms = {text[start:end].replace("\u00a0", " ") for start, end in entity.spans}
        assert entity.text in forms
        assert {form.casefold() for form in forms} == {entity.text.casefold()}


def test_a_run_of_capitals_is_one_entity_with_the_small_words_inside() -> None:
    text = "She left the University of Cambridge and met Ludwig van Beethoven in New York City."
    assert names(text) == ["University of Cambridge", "Ludwig van Beethoven", "New York City"]


def test_possessives_end_a_name_and_apostrophes_inside_do_not() -> None:
    assert names("They read Microsoft's letter to Sinead O'Connor.") == [
        "Microsoft",
        "Sinead O'Connor",
    ]


def test_initials_and_abbreviations_belong_to_the_name() -> None:
    text = "There J. K. Rowling, the U.S. Navy and St. Louis met Martin Luther King Jr."
    assert names(text) == ["J. K. Rowling", "U.S. Navy", "St. Louis", "Martin Luther King Jr."]


def test_titles_days_and_months_are_no_part_of_a_name() -> None:
    text = "On Monday the 4 March meeting heard President Jacques Chirac and Mr Blair on Friday."
    assert names(text) == ["Jacques Chirac", "Blair"]


def test_a_word_that_opens_a_sentence_needs_proof() -> None:
    assert names("Prices fell. Traders waited. Nobody sold.") == []
    proven = "Apple fell. Nobody at Apple talked."
    assert [(entity.text, entity.count) for entity in find_entities(proven, "en")] == [("Apple", 2)]


def test_a_rare_word_that_opens_a_sentence_is_a_name() -> None:
    assert names("Xylokraft fell.") == ["Xylokraft"]


def test_an_article_inside_a_sentence_belongs_to_the_name() -> None:
    assert names("He wrote for The Times and left.") == ["The Times"]
    assert names("The Times wrote of it.") != ["The Times"]


def test_countries_whose_acronym_is_an_everyday_word_are_found() -> None:
    assert names("They asked us whether the US and the WHO agreed.") == ["US", "WHO"]


def test_headlines_give_what_the_text_proves() -> None:
    text = "Ad Sales Boost Profit At Time Warner\n\nSales at Time Warner rose."
    assert "Time Warner" in names(text)
    assert names("Ad Sales Boost Profit This Year") == []


def test_mentions_in_other_capitals_are_one_entity_in_its_most_frequent_form() -> None:
    entity, *others = find_entities("With NATO, by NATO and of Nato.", "en")
    assert (entity.text, entity.count, others) == ("NATO", 3, [])


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Вчера президент Владимир Путин посетил Казань.", "ru", ["Владимир Путин", "Казань"]),
        ("Χθες ο Γιώργος Παπανδρέου ήταν εκεί.", "el", ["Γιώργος Παπανδρέου"]),
        ("Hier le président Jacques Chirac a lu Le Monde.", "fr", ["Jacques Chirac", "Le Monde"]),
        ("قال حلف NATO اليوم", "ar", ["NATO"]),
        ("日本はNATOと話した。", "ja", ["NATO"]),
        ("이것은 Samsung 입니다", "ko", ["Samsung"]),
        ("नमस्ते दुनिया", "hi", []),
        ("שלום עולם", "he", []),
        ("สวัสดีชาวโลก", "th", []),
    ],
)
def test_every_script_with_capitals_has_names(
    text: str, language: str, expected: list[str]
) -> None:
    assert names(text, language) == expected


def test_of_a_headline_in_capitals_only_its_names_are_names() -> None:
    headline = "CANADA AND KRUPP LAUNCH NEW ONE BILLION DOLLAR BOND ISSUE IN SOUTH AFRICA"
    body = "The loan of Canada was placed in South Africa, a bank said. Nobody at Krupp answered."
    assert names(f"{headline}\n\n{body}") == ["CANADA", "KRUPP", "SOUTH AFRICA"]


def test_a_name_goes_on_in_the_next_line_of_lines_that_were_cut() -> None:
    text = (
        "The loan is for a plant that is built by Harland\nStonecipher in Utrecht, a town that "
        "is\nnamed by hardly anybody but by the people who\nlive in it or near.\n"
    )
    assert "Harland\nStonecipher" in text
    assert "Harland Stonecipher" in names(text)


def test_rows_of_a_table_name_nothing() -> None:
    text = (
        "Derose Industries Inc 4th quarter\n\nShr 56 cts vs 71 cts\nRevs 5.3 mln vs 4.9 mln\nYear"
    )
    assert names(text) == ["Derose Industries Inc"]


def test_a_name_with_a_number_at_the_start_of_a_line_is_one_if_it_stands_elsewhere_too() -> None:
    text = "Apollo 13 was to land on the Moon. The tank of Apollo 13 burst."
    assert names(text) == ["Apollo 13", "Moon"]


@pytest.mark.parametrize("form", ["Ltd", "Inc", "Plc", "GmbH", "Corp"])
def test_a_legal_form_alone_is_no_name(form: str) -> None:
    assert names(f"The shares of the firm, {form}, rose. They sold {form} on.") == []
    assert names(f"They sold Harland {form} on.") == [f"Harland {form}"]


def test_german_nouns_are_no_names() -> None:
    text = "Die Regierung hat gestern im Parlament über das Gesetz und die Steuern beraten."
    assert names(text, "de") == []


def test_german_names_are_found_by_their_several_words_and_again_by_the_surname() -> None:
    text = "Gestern sprach Bundeskanzlerin Angela Merkel in Berlin. Dann ging Merkel zur SPD."
    assert names(text, "de") == ["Angela Merkel", "Berlin", "Merkel", "SPD"]


def test_without_frequencies_only_the_text_itself_proves_a_name() -> None:
    assert names("Blorp zang. Krizz wumm.", "xx") == []
    assert names("Blorp zang ti Krizz. Krizz wumm.", "xx") == ["Krizz"]


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "A", "...", "\x00\x01\x02", "👩‍👩‍👧 🙂", "'s", "&"]
)
def test_texts_without_a_name_give_none(text: str) -> None:
    assert find_entities(text, "en") == ()


@pytest.mark.variants
@pytest.mark.parametrize(
    "part",
    ["A", "A ", "A.", "Ab'", "A of ", "Aa. ", "A\n"],
)
def test_a_megabyte_of_one_thing_is_read(part: str) -> None:
    entities = find_entities(part * (1_000_000 // len(part)), "en")
    assert all(len(entity.text) <= 100 for entity in entities)


def test_the_rules_find_what_people_marked_in_wikipedia(data_dir: Path) -> None:
    def f1(texts: list[bench_entities.Annotated]) -> float:
        found = [
            {span for entity in find_entities(text, "en") for span in entity.spans}
            for text, _ in texts
        ]
        return bench_entities.exact(found, [spans for _, spans in texts]).f1

    assert f1(bench_entities.wikigold()) >= 0.79
