"""Synonym files: what a line means, and what is said of a broken one."""

import pytest

from es_simhash.errors import InputError
from es_simhash.semantics.vocabularies.synonyms import read_synonyms
from es_simhash.semantics.vocabularies.vocabulary import Vocabulary
from es_simhash.semantics.vocabularies.vocabulary_files import load_vocabulary


@pytest.fixture
def read(tmp_path):
    def read(content: str | bytes, language: str = "en") -> Vocabulary:
        path = tmp_path / "synonyms.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_synonyms(path, language)

    return read


def _labels(vocabulary: Vocabulary, text: str, language: str = "en") -> set[str]:
    return {found.label for found in vocabulary.find(text, language)}


def test_equivalent_terms_are_one_concept_shown_as_the_first(read):
    vocabulary = read("car, automobile, motor car\n")
    (found,) = vocabulary.find("A motor car is an automobile.", "en")
    assert (found.label, found.count) == ("car", 2)


def test_terms_left_of_an_arrow_name_the_concept_right_of_it(read):
    vocabulary = read("i-pod, i pod => ipod\n")
    for text in ("an i-pod", "an i pod", "an ipod"):
        assert _labels(vocabulary, text) == {"ipod"}


def test_two_terms_right_of_an_arrow_are_two_concepts_that_share_the_left_ones(read):
    found = read("jaguar => big cat, sports car\n").find("A jaguar.", "en")
    assert {each.label: each.weight for each in found} == {"big cat": 0.5, "sports car": 0.5}


def test_lines_with_the_same_right_side_add_to_one_concept(read):
    vocabulary = read("bike => bicycle\npushbike => bicycle\n")
    (found,) = vocabulary.find("A bike or a pushbike", "en")
    assert (found.label, found.count) == ("bicycle", 2)


def test_an_arrow_to_a_term_of_an_equivalent_group_adds_to_that_group(read):
    vocabulary = read("bicycle, pushbike\nbike => bicycle\n")
    (found,) = vocabulary.find("A bike or a pushbike", "en")
    assert found.count == 2


def test_groups_that_begin_with_the_same_term_stay_apart(read):
    vocabulary = read("bank, riverside\nbank, credit institute\n")
    assert len(vocabulary.concepts) == 2
    assert [each.count for each in vocabulary.find("a credit institute", "en")] == [1]
    assert [each.weight for each in vocabulary.find("a bank", "en")] == [0.5, 0.5]


def test_a_group_whose_name_looks_numbered_is_not_lost(read):
    vocabulary = read("bank, one\nbank (2), two\nbank, three\nbank, four\n")
    assert len(vocabulary.concepts) == 4


def test_comments_and_blank_lines_are_passed_over(read):
    assert len(read("# words, not, synonyms\n\n   \n  # indented\ncar, auto\n").concepts) == 1


def test_a_backslash_takes_commas_arrows_and_itself_as_they_are(read):
    vocabulary = read("b\\,c, d \\=> e, f\\\\g, h = i\n")
    (concept,) = vocabulary.concepts.values()
    assert concept.labels["en"] == ("b,c", "d => e", "f\\g", "h = i")


def test_a_number_sign_with_a_backslash_begins_a_term(read):
    assert _labels(read("\\#metoo, me too movement\n"), "the me too movement") == {"#metoo"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_ends_a_line(read, newline):
    assert len(read(f"car, auto{newline}bike, cycle{newline}").concepts) == 2


def test_a_byte_order_mark_belongs_to_no_term(read):
    assert _labels(read(b"\xef\xbb\xbfcar, auto\n"), "auto") == {"car"}


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("a => b => c", "2 arrows"),
        ("a, b =>", "to the right of the arrow"),
        ("=> c", "to the left of the arrow"),
        ("a, , b", "term 2 is empty"),
        ("a,,b", "term 2 is empty"),
        ("a, b,", "term 3 is empty"),
        (", a", "term 1 is empty"),
        ("a => b, ,c", "term 2 to the right of the arrow (=>) is empty"),
        ("a, b\\", "ends in a backslash"),
        ("a, \x00\x01", "term 2 is empty"),
    ],
)
def test_a_broken_line_is_named_by_file_and_number_with_what_is_wrong(read, line, wrong):
    with pytest.raises(InputError) as raised:
        read(f"# first\r\ncar, auto\r\n{line}\r\nx, y\r\n")
    message = str(raised.value)
    assert "synonyms.txt, line 3: " in message
    assert wrong in message
    assert "\n" not in message


def test_a_byte_that_is_not_utf8_is_named_with_its_line(read):
    with pytest.raises(InputError, match=r"synonyms\.txt, line 2: byte 0xe9 is not UTF-8"):
        read(b"\xef\xbb\xbfcar, auto\ncaf\xe9, coffee house\n")


@pytest.mark.parametrize("content", ["", "# only a comment\n"])
def test_a_file_without_synonyms_is_refused(read, content):
    with pytest.raises(InputError, match="has no synonyms"):
        read(content)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.txt cannot be read: No such file"):
        read_synonyms(tmp_path / "nothing.txt")


def test_control_characters_are_taken_out_of_terms(read):
    vocabulary = read("mone\x07tary po\u200blicy, rates\n")
    assert _labels(vocabulary, "the rates") == {"monetary policy"}
    assert _labels(vocabulary, "a monetary policy") == {"monetary policy"}


def test_a_term_of_ten_kilobytes_is_left_out_and_reported(read):
    vocabulary = read(f"x, y\ncar, {'long ' * 2048}, auto\n")
    assert _labels(vocabulary, "auto") == {"car"}
    (problem,) = vocabulary.problems
    assert problem.startswith("Line 2: the term 'long long")
    assert len(problem) < 250


def test_a_line_whose_terms_are_all_too_long_makes_no_concept(read):
    vocabulary = read(f"x, y\n{'a' * 300} => {'b' * 300}\n")
    assert set(vocabulary.concepts) == {"x"}
    assert len(vocabulary.problems) == 2


def test_german_and_chinese_synonyms_are_found(read):
    german = read("Geldpolitik, Währungspolitik => Geldpolitik\n", "de")
    assert _labels(german, "Die WÄHRUNGSPOLITIK der Bank", "de") == {"Geldpolitik"}
    chinese = read("中央银行, 央行\n货币政策, 银根\n", "zh")
    assert _labels(chinese, "昨天央行宣布放松银根。", "zh") == {"中央银行", "货币政策"}


def test_wordnet_synonyms_are_read_whole(data_dir):
    path = data_dir / "wordnet_en" / "synonyms.txt"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    vocabulary = load_vocabulary(path)
    assert len(vocabulary.concepts) == len(lines)
    assert not vocabulary.problems
    # A line of the file: air conditioner, A/C, air-conditioner
    found = vocabulary.find("Two air-conditioners hummed.", "en")
    assert "air conditioner" in {each.label for each in found}
