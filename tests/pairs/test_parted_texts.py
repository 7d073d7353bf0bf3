"""Texts in parts by the values of their documents."""

from es_simhash.pairs.parted_texts import names_in_part, no_values, parts_of, values_of


def test_values_are_a_set_of_strings() -> None:
    assert values_of(["b", "a", "b"]) == values_of(("a", "b")) == ("a", "b")
    # As the engine has them in a keyword field.
    assert values_of([3, None, True]) == ("3", "true")
    assert values_of([]) == values_of([None]) == ()
    assert values_of(["١٢"]) != values_of(["12"])


def test_documents_of_one_text_are_in_the_parts_of_their_values() -> None:
    values = {"1": ("海潮",), "2": ("तटीय",), "3": (), "4": ("海潮",)}
    copies = {"x": ["1", "2", "3"], "y": ["4"]}
    assert parts_of(copies, values.__getitem__) == [
        ((), {"x": ["3"]}),
        (("तटीय",), {"x": ["2"]}),
        (("海潮",), {"x": ["1"], "y": ["4"]}),
    ]
    assert parts_of(copies, no_values) == [((), copies)]
    assert parts_of({}, no_values) == []


def test_names_of_a_text_differ_by_part() -> None:
    assert names_in_part(["ab", "cd"], ()) == ["ab", "cd"]
    names = {names_in_part(["ab"], part)[0] for part in ((), ("a",), ("b",), ("a", "b"))}
    assert len(names) == 4
