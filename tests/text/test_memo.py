"""What is remembered of a function, and how much."""

from es_simhash.text.memo import Memo


def test_each_result_is_computed_once() -> None:
    asked: list[str] = []

    def length(word: str) -> int:
        asked.append(word)
        return len(word)

    memo = Memo(length)
    assert list(map(memo.__getitem__, ["one", "three", "one"])) == [3, 5, 3]
    assert asked == ["one", "three"]


def test_more_than_are_kept_are_computed_all_the_same() -> None:
    memo: Memo[int, int] = Memo(lambda number: number * number, most=3)
    for number in [*range(10), 0, 9]:
        assert memo[number] == number * number
        assert len(memo) <= 3
