"""How words that two texts share are written."""

from es_simhash.semantics.spellings import Spellings


def test_signs_that_are_repeated_for_pages_are_joined_to_a_readable_length() -> None:
    text = "กข" * 20_000
    spellings = Spellings((text, text), "th", ())
    ((joined, inside),) = spellings.joined({"กข", "ขก"})
    assert (len(joined), set(inside)) == (257, {"กข", "ขก"})
    ((joined, _),) = spellings.joined_in(1, {"กข", "ขก"})
    assert len(joined) == 257
