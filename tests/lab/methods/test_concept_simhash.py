"""The origins' concept simhash: published names, fingerprints, comparison, weights."""

import math
from itertools import product

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from es_simhash.errors import InputError, SchemeError, SchemeMismatch
from es_simhash.fingerprints import hashing
from es_simhash.fingerprints.hashing import GroupedRuns
from es_simhash.fingerprints.simhash import run_fingerprints
from es_simhash.lab.methods.concept_simhash import (
    CONCEPT_BITS,
    WEIGHTINGS,
    ConceptFingerprints,
    ConceptScheme,
    concept_fingerprints,
    concept_similarities,
    fingerprint_concepts,
    tfidf_weights,
    zhang_he_idf,
    zhang_he_weights,
)

BASE = 0x9E3779B97F4A7C15
STEPS = 1 << 20

bits_offered = st.sampled_from(CONCEPT_BITS)
# Surrogates too: a text cut in the middle of an emoji has them.
concepts = st.text(max_size=12)
counted = st.dictionaries(concepts, st.integers(1, 1000), max_size=12)
weighted = st.dictionaries(concepts, st.floats(0, 1e6, allow_subnormal=False), max_size=12)


def reference_number(concept: str) -> int:
    return sum((ord(each) + 1) * BASE**place for place, each in enumerate(concept)) % 2**64


def reference_fingerprint(part: dict[str, float], bits: int, plain: bool) -> str | None:
    """The fingerprint in plain integers, hexadecimal; None when nothing weighs."""
    heaviest = max(part.values(), default=0)
    if not part or (heaviest == 0 and not plain):
        return None
    steps = {
        concept: 1 if plain else round(weight / heaviest * STEPS)
        for concept, weight in part.items()
    }
    signed = [0] * bits
    for concept, weight in steps.items():
        data = reference_number(concept).to_bytes(8, "little")
        words = [f"{xxhash.xxh64_intdigest(data, seed):064b}" for seed in range(4)]
        for place, bit in enumerate("".join(words)[:bits]):
            signed[place] += weight if bit == "1" else -weight
    value = int("".join("1" if each > 0 else "0" for each in signed), 2)
    return f"{value:0{bits // 4}x}"


def hexadecimal(parts: list[dict[str, float]], scheme: ConceptScheme) -> list[str]:
    return [row.tobytes().hex() for row in concept_fingerprints(parts, scheme)]


def random_part(generator: np.random.Generator, count: int) -> dict[str, float]:
    return {
        f"concept {each}": float(generator.random()) for each in generator.integers(1e9, size=count)
    }


def of_rows(rows: list[int], scheme: ConceptScheme) -> ConceptFingerprints:
    data = b"".join(row.to_bytes(scheme.bits // 8, "big") for row in rows)
    return ConceptFingerprints(scheme, np.frombuffer(data, np.uint8).reshape(len(rows), -1))


def test_a_name_says_the_whole_scheme() -> None:
    parameters = list(product(CONCEPT_BITS, (0, 1, 2, 9), WEIGHTINGS))
    names = {ConceptScheme(*values).name for values in parameters}
    assert len(names) == len(parameters)


def test_published_names_never_change() -> None:
    assert ConceptScheme().name == "concept64-doc-tfidf.v1"
    assert ConceptScheme(64, 2, "plain").name == "concept64-par2-plain.v1"
    assert ConceptScheme(256, 0, "origins-c").name == "concept256-doc-origins-c.v1"


@pytest.mark.parametrize(
    ("bits", "near", "weights", "named"),
    [(48, 0, "plain", "48"), (64, -1, "plain", "-1"), (64, 10, "plain", "10"), (64, 0, "x", "'x'")],
)
def test_parameters_that_make_no_scheme_are_refused(
    bits: int, near: int, weights: str, named: str
) -> None:
    with pytest.raises(SchemeError, match=named):
        ConceptScheme(bits, near, weights)


@given(parts=st.lists(weighted, max_size=4), bits=bits_offered)
@settings(deadline=None)
def test_weighted_fingerprints_are_those_of_plain_integers(
    parts: list[dict[str, float]], bits: int
) -> None:
    expected = [reference_fingerprint(part, bits, plain=False) for part in parts]
    assert hexadecimal(parts, ConceptScheme(bits)) == [each for each in expected if each]


@given(parts=st.lists(weighted, max_size=4), bits=bits_offered)
@settings(deadline=None)
def test_plain_fingerprints_are_those_of_plain_integers(
    parts: list[dict[str, float]], bits: int
) -> None:
    expected = [reference_fingerprint(part, bits, plain=True) for part in parts]
    assert hexadecimal(parts, ConceptScheme(bits, 1, "plain")) == [
        each for each in expected if each
    ]


def test_many_parts_of_many_concepts_are_those_of_plain_integers() -> None:
    # More concepts than are counted at once, so that parts lie across the borders of the slices.
    generator = np.random.default_rng(7)
    parts = [random_part(generator, int(size)) for size in generator.integers(1, 400, 90)]
    parts.append(random_part(generator, 40_000))
    found = hexadecimal(parts, ConceptScheme(16, 1))
    few = [0, 1, 44, 45, 46, 88, 89]
    assert [found[each] for each in few] == [
        reference_fingerprint(parts[each], 16, plain=False) for each in few
    ]
    alone = hexadecimal(parts[-1:], ConceptScheme(16, 1))
    assert found[-1:] == alone
    assert alone == [reference_fingerprint(parts[-1], 16, plain=False)]


@pytest.mark.parametrize("bits", [64, 128])
def test_without_weights_it_is_the_simhash_of_the_core(bits: int) -> None:
    names = [f"name {each}" for each in range(301)]
    numbers = np.array([reference_number(each) for each in names], np.uint64)
    bounds = np.array([0, 301])
    core = run_fingerprints(GroupedRuns(numbers, bounds, bounds), bits)
    ours = concept_fingerprints([dict.fromkeys(names, 1.0)], ConceptScheme(bits, 0, "plain"))
    assert ours.tolist() == core.tolist()


def test_a_long_fingerprint_begins_with_the_short_one() -> None:
    part = random_part(np.random.default_rng(1), 50)
    longest = hexadecimal([part], ConceptScheme(256))[0]
    for bits in CONCEPT_BITS:
        assert hexadecimal([part], ConceptScheme(bits)) == [longest[: bits // 4]]


@given(part=weighted, bits=bits_offered, seed=st.randoms())
def test_the_order_of_the_concepts_does_not_matter(
    part: dict[str, float], bits: int, seed: "np.random.Generator"
) -> None:
    items = list(part.items())
    seed.shuffle(items)  # type: ignore[arg-type]
    scheme = ConceptScheme(bits)
    assert hexadecimal([dict(items)], scheme) == hexadecimal([part], scheme)


@given(part=counted, factor=st.integers(-40, 40), bits=bits_offered)
def test_the_scale_of_the_weights_does_not_matter(
    part: dict[str, int], factor: int, bits: int
) -> None:
    scaled = {concept: count * 2.0**factor for concept, count in part.items()}
    scheme = ConceptScheme(bits)
    assert hexadecimal([scaled], scheme) == hexadecimal([dict(part)], scheme)


@given(part=weighted, weight=st.floats(0.001, 1000))
def test_plain_schemes_do_not_look_at_the_weights(part: dict[str, float], weight: float) -> None:
    scheme = ConceptScheme(64, 0, "plain")
    assert hexadecimal([part], scheme) == hexadecimal([dict.fromkeys(part, weight)], scheme)


def test_what_weighs_most_decides_every_bit() -> None:
    scheme = ConceptScheme(128)
    alone = hexadecimal([{"monetary policy": 1.0}], scheme)
    assert hexadecimal([{"monetary policy": 5.0, "bank": 2.0, "rate": 2.0}], scheme) == alone


def test_a_tie_gives_0() -> None:
    scheme = ConceptScheme(64)
    one, other = (int(hexadecimal([{name: 1.0}], scheme)[0], 16) for name in ("one", "other"))
    both = hexadecimal([{"one": 3.0, "other": 3.0}], scheme)
    assert int(both[0], 16) == one & other


def test_neighbouring_concepts_are_not_joined() -> None:
    scheme = ConceptScheme(64, 1, "plain")
    assert hexadecimal([{"ab": 1.0, "c": 1.0}], scheme) != hexadecimal(
        [{"a": 1.0, "bc": 1.0}], scheme
    )


@pytest.mark.parametrize("nothing", [[], [{}], [{"a": 0.0}, {}]])
def test_no_concepts_give_no_fingerprint(nothing: list[dict[str, float]]) -> None:
    assert concept_fingerprints(nothing, ConceptScheme(32, 1)).shape == (0, 4)


def test_parts_without_concepts_have_no_row() -> None:
    scheme = ConceptScheme(64, 1)
    parts: list[dict[str, float]] = [{"a": 1.0}, {}, {"b": 1.0}]
    assert hexadecimal(parts, scheme) == hexadecimal([{"a": 1.0}, {"b": 1.0}], scheme)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_a_weight_that_is_none_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match="'bank' weighs"):
        concept_fingerprints([{"bank": weight}], ConceptScheme())


def test_a_batch_gives_each_document_its_own_rows() -> None:
    scheme = ConceptScheme(64, 2)
    documents: list[list[dict[str, float]]] = [[{"a": 1.0}, {"b": 2.0}], [], [{}], [{"c": 1.0}]]
    batch = fingerprint_concepts(documents, scheme)
    assert [len(each.rows) for each in batch] == [2, 0, 0, 1]
    for document, each in zip(documents, batch, strict=True):
        assert each.scheme == scheme
        assert each.rows.tolist() == concept_fingerprints(document, scheme).tolist()


def test_an_empty_batch_is_handled() -> None:
    assert fingerprint_concepts([], ConceptScheme()) == []


def test_paragraphs_are_refused_by_a_scheme_of_whole_documents() -> None:
    with pytest.raises(InputError, match=r"'concept64-doc-tfidf\.v1'.*2 parts"):
        fingerprint_concepts([[{"a": 1.0}, {"b": 1.0}]], ConceptScheme())


def test_whole_documents_compare_by_the_share_of_equal_bits() -> None:
    scheme = ConceptScheme(16)
    one = of_rows([0b1111], scheme)
    others = [of_rows([0b1111], scheme), of_rows([0b0], scheme), of_rows([0xFFF0], scheme)]
    assert concept_similarities(one, others).tolist() == [1.0, 0.75, 0.0]


@pytest.mark.parametrize(("near", "bits_apart"), [(1, 0), (2, 1), (3, 4), (4, 5), (9, 5)])
def test_the_last_of_the_pairs_that_suffice_counts(near: int, bits_apart: int) -> None:
    scheme = ConceptScheme(16, near)
    one = of_rows([0xFF00, 0xFFF0], scheme)
    other = of_rows([0xFF00, 0xFFF1], scheme)
    # Distances: 0 and 5 from the first paragraph, 4 and 1 from the second.
    assert concept_similarities(one, [other]).tolist() == [1 - bits_apart / 16]


@given(
    sizes=st.lists(st.integers(0, 4), min_size=1, max_size=5),
    own=st.integers(0, 4),
    near=st.integers(0, 3),
    seed=st.integers(0, 1000),
)
def test_comparing_with_many_is_comparing_with_each(
    sizes: list[int], own: int, near: int, seed: int
) -> None:
    scheme = ConceptScheme(32, near)
    generator = np.random.default_rng(seed)
    one, *others = (
        ConceptFingerprints(scheme, generator.integers(0, 256, (size, 4), np.uint8))
        for size in (own, *sizes)
    )
    expected = []
    for other in others:
        distances = sorted(int(np.unpackbits(a ^ b).sum()) for a in one.rows for b in other.rows)
        place = min(max(near, 1), len(distances)) - 1
        expected.append(1 - distances[place] / 32 if distances else 0.0)
    assert concept_similarities(one, others).tolist() == expected


def test_comparing_with_nothing_is_handled() -> None:
    scheme = ConceptScheme(16)
    assert concept_similarities(of_rows([1], scheme), []).tolist() == []


def test_two_schemes_are_not_compared() -> None:
    one, other = ConceptScheme(64, 1), ConceptScheme(64, 2)
    with pytest.raises(SchemeMismatch, match=r"par1-tfidf.*par2-tfidf"):
        concept_similarities(of_rows([1], one), [of_rows([1], one), of_rows([1], other)])


def test_tfidf_weights_grow_with_count_and_rarity() -> None:
    rarity = {"bank": 2.0, "the": 0.0}
    weights = tfidf_weights({"bank": 3, "the": 9}, rarity.__getitem__)
    assert weights == {"bank": pytest.approx(2 * (1 + math.log(3))), "the": 0.0}


def test_idf_of_the_improved_simhash() -> None:
    assert zhang_he_idf(1000, 10) == pytest.approx(math.log(100.01))
    assert zhang_he_idf(1000, 0) == zhang_he_idf(1000, 1)
    assert zhang_he_idf(5, 5) > 0
    with pytest.raises(InputError, match="6 of 5"):
        zhang_he_idf(5, 6)


def test_weights_of_the_improved_simhash_follow_its_formula() -> None:
    weights = zhang_he_weights(
        {"law": 2, "amend": 1, "quickly": 1, "China": 4},
        lambda concept: 1.5,
        kinds={"law": "NOUN", "amend": "verb", "quickly": "ADV", "China": "PROPN"},
        title={"law"},
        markers={"quickly"},
    )
    # Lengths from 3 (law) to 7 (quickly) are scaled to 0..1.
    assert weights == {
        "law": pytest.approx(2 * 1.5 * (1 + 3 + 0 + 5)),
        "amend": pytest.approx(1 * 1.5 * (1 + 2 + 0.5)),
        "quickly": pytest.approx(1 * 1.5 * (1 + 1 + 1 + 5)),
        "China": pytest.approx(4 * 1.5 * (1 + 3 + 0.5)),
    }


@pytest.mark.parametrize("counts", [{}, {"law": 1}, {"": 1}, {"法": 2, "律": 1}])
def test_weights_of_few_concepts_are_numbers(counts: dict[str, int]) -> None:
    weights = zhang_he_weights(counts, lambda concept: 1.0)
    assert weights == {concept: 2.0 * count for concept, count in counts.items()}


def test_the_reference_number_is_that_of_the_core() -> None:
    codes = np.array([ord(each) for each in "Bank"], np.uint32)
    number = hashing.run_numbers(codes, np.array([0]), np.array([4]))
    assert number.tolist() == [reference_number("Bank")]
