"""Answers are kept up to a size, and a time."""

from es_simhash.service.answer_cache import STALE_SECONDS, AnswerCache, CachedAnswer
from es_simhash.service.responses import Body


def test_the_cache_is_bounded() -> None:
    now = [0.0]
    cache = AnswerCache(10, 5_000, clock=lambda: now[0])
    for number in range(10):
        cache.put(str(number), CachedAnswer(Body(b"x" * 400, b"x" * 100, ""), {}))
    assert cache.size <= 5_000
    assert cache.get("0") is None
    assert cache.get("9") is not None
    cache.put("large", CachedAnswer(Body(b"x" * 6_000, None, ""), {}))
    assert cache.size == 0
    kept = CachedAnswer(Body(b"", None, ""), {})
    cache.put("9", kept)
    now[0] = 10.0
    assert cache.get("9") is None
    assert cache.get("9", stale=True) is kept
    now[0] = 10.0 + STALE_SECONDS
    assert cache.get("9", stale=True) is None
    assert cache.size == 0


def test_an_answer_that_was_replaced_meanwhile_is_not_dropped() -> None:
    cache = AnswerCache(10, 5_000)
    first, second = (CachedAnswer(Body(content, None, ""), {}) for content in (b"1", b"2"))
    cache.put("k", first)
    cache.put("k", second)
    cache.drop("k", first)
    assert cache.get("k") is second
    cache.drop("k", second)
    assert cache.get("k") is None
