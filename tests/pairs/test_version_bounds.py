"""No pair that scoring links is left out by its bounds, and of strangers few are left."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from es_simhash.pairs.version_bounds import VersionBounds, compared_parts
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.scoring import are_candidates, link_score, min_shared
from es_simhash.relation.shared_shingles import shared_shingles
from es_simhash.relation.stored_text import StoredParts
from es_simhash.relation.thresholds import QUERIED_SHINGLES
from es_simhash.relation.version_value import folded
from tests.support import company_news, datasets, five_languages
from tests.support.made_up_texts import make_prose, make_text, revise

Flags = NDArray[np.bool_]
THRESHOLDS = (0.2, 0.6, 0.95)


def stored(texts: Iterable[str]) -> list[StoredParts]:
    parts = TextAnalyser().stored_parts(list(texts))
    return list({each.content_hash: each for each in parts if each is not None}.values())


def revisions() -> list[str]:
    """Texts of all lengths with revisions of each, excerpts, and numbers in their heads."""
    texts = []
    for seed, words in enumerate((12, 40, 90, 130, 250, 300, 700, 1600, 6000)):
        text = (
            f"Report {seed} of {1990 + seed} with {7 * seed} of 12 pages. {make_text(seed, words)}"
        )
        texts += [text, *(revise(text, seed, share) for share in (0.02, 0.1, 0.3, 0.6))]
        texts += [text[: len(text) // 2], text[: len(text) // 9], f"{text} {make_text(99, words)}"]
        texts += [text.replace("12 pages", "13 pages"), text.upper()]
        many = " ".join(map(str, range(100 + seed, 115 + seed)))
        texts += [f"{many} {text}", f"{many} 9 {text}"]
    return [*texts, *("Minutes. " + " ".join(make_prose(seed, 9)) for seed in range(9))]


def pairs_of(parts: list[StoredParts]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    one, other = np.triu_indices(len(parts), 1)
    return one.astype(np.int64), other.astype(np.int64)


def bounded(
    parts: list[StoredParts], threshold: float, counts: str = "queried"
) -> tuple[Flags, Flags, NDArray[np.int64]]:
    """Return of all pairs which may be versions, which are, and how many shingles they share."""
    least = np.array([min_shared(part) for part in parts], np.uint8)
    bounds = VersionBounds(compared_parts(parts), least, threshold)
    one, other = pairs_of(parts)
    pairs = [(parts[i], parts[j]) for i, j in zip(one.tolist(), other.tolist(), strict=True)]
    shared = np.array(
        [shared_shingles(a.queried_shingles, b.queried_shingles) for a, b in pairs], np.int64
    )
    # Shingles of long lists are not counted: more may be shared, up to all.
    most = shared + 3 if counts == "at most" else shared
    may_be = bounds.may_be_versions(one, other, most)
    if counts == "all":
        shared = np.array([shared_shingles(a.shingles, b.shingles) for a, b in pairs], np.int64)
        may_be &= bounds.may_be_versions(one, other, shared, counted=QUERIED_SHINGLES)
    linked = [are_candidates(a, b) and link_score(a, b, threshold) > 0 for a, b in pairs]
    return may_be, np.array(linked, np.bool_), shared


@pytest.mark.variants
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("counts", ["queried", "at most", "all"])
def test_no_revision_is_left_out(threshold: float, counts: str) -> None:
    may_be, linked, _ = bounded(stored(revisions()), threshold, counts)
    assert linked.any()
    assert not (linked & ~may_be).any()


@pytest.mark.long
@pytest.mark.variants
@pytest.mark.parametrize(
    "texts",
    [company_news.notices(60), company_news.other_news(60), five_languages.texts()],
    ids=["notices of one form", "news", "five languages"],
)
@pytest.mark.parametrize("counts", ["queried", "all"])
def test_no_version_is_left_out_of_forms_and_other_scripts(
    texts: Mapping[str, str], counts: str
) -> None:
    for threshold in THRESHOLDS:
        may_be, linked, _ = bounded(stored(texts.values()), threshold, counts)
        assert not (linked & ~may_be).any()


@pytest.mark.long
def test_of_long_texts_fewer_are_left_where_all_that_they_share_is_counted() -> None:
    phrase = make_text(1000, 36)
    texts = (f"{make_text(seed, 451)} {phrase} {make_text(seed + 500, 451)}" for seed in range(40))
    # In long chunks, as those of more than 64 are not compared.
    parts = stored(text.replace(".", "") for text in texts)
    by_sample, linked, _ = bounded(parts, 0.6)
    by_all, *_ = bounded(parts, 0.6, "all")
    assert not linked.any()
    assert by_sample.mean() > 0.5
    assert by_all.mean() < 0.1


def test_texts_that_share_a_phrase_are_left_out() -> None:
    phrase = make_text(1000, 36).replace(".", "")
    texts = [f"{make_text(seed, 201)} {phrase} {make_text(seed + 500, 201)}" for seed in range(40)]
    may_be, linked, shared = bounded(stored(texts), 0.6)
    assert (shared >= 2).mean() > 0.9
    assert not linked.any()
    assert may_be.mean() < 0.1


def test_texts_of_very_different_lengths_and_with_too_little_in_common_are_left_out() -> None:
    text = make_text(1, 300)
    parts = stored([text, f"{text} {make_text(2, 4000)}", make_text(3, 300)])
    may_be, *_ = bounded(parts, 0.6)
    assert may_be.tolist() == [False, False, False]


def test_no_text_and_no_pair() -> None:
    bounds = VersionBounds(compared_parts([]), np.zeros(0, np.uint8), 0.6)
    none = np.zeros(0, np.int64)
    assert bounds.may_be_versions(none, none, none).tolist() == []


@pytest.mark.parametrize("name", ["wire_news", "bbc_news"])
def test_of_real_news_few_strangers_are_left(name: str, data_dir: object) -> None:
    parts = stored(document["text"] for document in datasets.documents(name)[:300])
    may_be, linked, shared = bounded(parts, 0.6)
    assert not (linked & ~may_be).any()
    assert may_be[shared >= 2].mean() < 0.3
    by_all, *_ = bounded(parts, 0.6, "all")
    assert not (linked & ~by_all).any()


def test_what_is_compared_is_what_the_texts_have() -> None:
    parts = stored(revisions())
    entries = compared_parts(parts)
    for part, entry in zip(parts, entries, strict=True):
        sketch = part.sketch
        assert entry["head"].tobytes() == sketch.head.to_bytes(32, "little")
        assert entry["word_bits"] == sketch.word_bits
        bits = min(sketch.word_bits, 512)
        words = folded(sketch.words, sketch.word_bits, bits).to_bytes(64, "little")
        assert entry["words"].tobytes() == words
        assert entry["head_number_count"] == min(9, len(sketch.head_numbers))
        assert set(entry["head_numbers"][: entry["head_number_count"]]) <= sketch.head_numbers
        assert entry["number_count"] == len(sketch.numbers)
        assert (*entry["numbers"][: len(sketch.numbers)].tolist(),) == sketch.numbers[:16]
        assert entry["chunk_count"] == min(65, len(part.chunks.fingerprints))
        assert (entry["windows"].tolist(), entry["level"]) == ([*part.windows], part.windows.level)
        assert entry["characters"] == part.characters


def test_of_no_texts_nothing_is_compared() -> None:
    assert len(compared_parts([])) == 0
