"""What fields say of two documents: agree, differ, absent."""

import pytest

from es_simhash.relation.compared_fields import comparable, field_evidence
from es_simhash.relation.field_evidence import FieldEvidence


@pytest.mark.parametrize(
    ("query", "hit", "agreement"),
    [
        (["Nordkai AG"], ["NORDKAI  AG."], "agree"),
        (["海潮公司"], ["海潮公司"], "agree"),
        (["海潮公司"], ["海潮银行"], "differ"),
        (["شركة الميناء"], ["شركة البحر"], "differ"),
        # Vowel signs are no punctuation.
        (["तटीय"], ["तटया"], "differ"),
        (["Straße 12"], ["STRASSE १२"], "agree"),
        (["٤٧١١"], [4711], "agree"),
        # Whole numbers that a program wrote as floats, as where some values are missing.
        ([7.0], [7], "agree"),
        ([7.0], ["7"], "agree"),
        ([1.0], [10], "differ"),
        (["a", "b"], ["c", "B"], "agree"),
        (["a", "b"], ["c"], "differ"),
        (["a"], [], "absent"),
        ([None, "", " — "], ["a"], "absent"),
        ([{"inner": "a"}, True], ["a"], "absent"),
        ([], [], "absent"),
    ],
)
def test_values_agree_differ_or_are_absent(
    query: list[object], hit: list[object], agreement: str
) -> None:
    found = field_evidence("owner", "company", query, hit)
    assert found.agreement == agreement
    back = field_evidence("owner", "company", hit, query)
    assert (back.agreement, back.query, back.hit) == (agreement, found.hit, found.query)


def test_punctuation_and_the_script_of_digits_tell_no_identifiers_apart() -> None:
    assert comparable("ISBN 978-3-16-148410-0") == comparable("isbn ٩٧٨٣١٦١٤٨٤١٠٠")
    assert comparable("978-3-16") != comparable("978-3-61")
    assert comparable("—") == ""


def test_it_is_said_in_a_few_words() -> None:
    owner = field_evidence("owner", "meta.section", ["Nordkai"], ["海潮公司", "ميناء"])
    assert owner.sentence == "owner differs: Nordkai / 海潮公司, ميناء"
    number = field_evidence("identifier", "isbn", ["978-1", "978-2"], ["9782"])
    assert number.sentence == "isbn agrees: 978-2"
    assert field_evidence("identifier", "isbn", [], ["9782"]).sentence is None
    assert owner == FieldEvidence(
        "owner", "meta.section", "differ", ("Nordkai",), ("海潮公司", "ميناء")
    )
