from es_simhash.pairs.representatives import rank_of


def test_a_document_without_a_date_comes_last_whatever_the_rule() -> None:
    for rule in ("newest", "oldest"):
        assert rank_of(rule, 10, None) < rank_of(rule, 1, -5.0)
        assert rank_of(rule, 10, None) < rank_of(rule, 1, 5.0)


def test_dates_count_by_the_rule_and_lengths_only_for_the_longest() -> None:
    assert rank_of("newest", 1, 2) > rank_of("newest", 9, 1)
    assert rank_of("oldest", 1, 1) > rank_of("oldest", 9, 2)
    assert rank_of("longest", 9, 1) > rank_of("longest", 1, 2)
