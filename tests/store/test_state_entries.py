"""Names of state indices, and entries of pairs."""

from es_simhash.store.state_entries import ids_of, state_index_name


def test_a_state_index_has_the_name_of_its_index() -> None:
    assert state_index_name("news") == "news-simhash"


def test_a_state_index_is_hidden_for_no_hidden_index() -> None:
    assert state_index_name(".ds-news") == "ds-news-simhash"


def test_an_entry_has_the_ids_of_a_pair() -> None:
    assert ids_of({"ids": ["a", "b"]}) == ("a", "b")
