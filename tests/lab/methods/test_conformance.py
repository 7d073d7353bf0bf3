"""Fingerprints of the methods against slow implementations, published vectors, and by hand."""

import math

import numpy as np
import pytest

from es_simhash.errors import SchemeError, SchemeMismatch
from es_simhash.lab.methods.character_simhash import character_fingerprints
from es_simhash.lab.methods.method_registry import method_named
from es_simhash.lab.methods.method_scheme import is_fingerprint
from es_simhash.lab.methods.method_scores import compare_fingerprints, method_fingerprint
from es_simhash.lab.methods.minhash import FAMILIES, Banding
from es_simhash.lab.methods.sentence_simhash import bigram_hashes
from es_simhash.lab.methods.token_simhash import TOKEN_SCHEME, TOKENS, lookup8, tokens_of
from es_simhash.lab.methods.weighted_simhash import weighted_fingerprints
from tests.support import slow_methods

TEXTS = [
    "The harbour opens at six, and the ferry leaves at seven o'clock.",
    "Größe und Straße: naïve façade, 12 Züge im Jahr 2024.",
    "港口六点开门，渡船七点开。第二句话在这里，也很短。",
    "مرحبا بالعالم، هذا نص قصير باللغة العربية.",
    "a",
    "𝔘nicode 𐐀𐐁 and e\u0301 combined, snake_case and x1y2.",
]


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("text", TEXTS)
def test_sentences_have_the_fingerprint_of_their_letter_bigrams(text: str, bits: int) -> None:
    # A text shorter than the least chunk is one sentence.
    short = " ".join(text.replace("。", " ").split()[:6])[:20]
    features = method_named(f"simhash-bigrams-{bits}").read([short])
    assert len(features.fingerprints) == 1
    assert int.from_bytes(features.fingerprints[0].tobytes(), "big") == slow_methods.sentence(
        short, bits
    )


def test_the_hash_of_a_bigram_is_that_of_the_origins() -> None:
    # "ab" is 0x6162 = 24930, times 27644437 modulo 2^32 by hand: 689175814410 - 160 * 2^32.
    first, second = np.array([ord("a")], np.uint64), np.array([ord("b")], np.uint64)
    assert 24930 * 27644437 == 689175814410
    assert bigram_hashes(first, second, 32)[0] == 689175814410 - 160 * 2**32
    for bits in (16, 32, 64):
        for one, other in ("ab", " t", "éa", "aé", "港口", "𐐀a", "a𐐀"):
            hashed = bigram_hashes(
                np.array([ord(one)], np.uint64), np.array([ord(other)], np.uint64), bits
            )
            assert hashed[0] == slow_methods.bigram_hash(one + other, bits)


@pytest.mark.parametrize("text", [*TEXTS, "repeat repeat repeat repeat"])
def test_character_windows_are_counted(text: str) -> None:
    features = character_fingerprints([text])
    assert int(features.numbers[0]) == slow_methods.character_windows(text)


@pytest.mark.parametrize("length", [*range(27), 47, 48, 49, 72, 100])
def test_jenkins_hash_is_that_of_the_original(length: int) -> None:
    key = bytes((7 * place + length) % 256 for place in range(length))
    other = bytes(length)
    expected = [slow_methods.lookup8(key), slow_methods.lookup8(other)]
    assert lookup8([key, other]).tolist() == expected


@pytest.mark.parametrize("text", [*TEXTS, "twice twice once"])
def test_token_strings_are_those_of_the_scheme(text: str) -> None:
    assert tokens_of(text) == slow_methods.tokens(text)
    assert method_fingerprint(text, "token-simhash") == slow_methods.token_string(text)


def test_numbers_and_addresses_are_no_tokens() -> None:
    text = "See https://example.org/a_b?c=d or www.example.org/x in 2024, 3rd of v_1 and 12_3."
    assert tokens_of(text) == ["see", "or", "in", "3rd", "of", "v_1", "and"]
    assert method_fingerprint("2024, 12 _ !", "token-simhash") is None
    assert method_fingerprint("https://example.org", "token-simhash") is None


def rows(value: int) -> np.ndarray:
    return np.array([list(value.to_bytes(8, "big"))], np.uint8)


def test_strings_are_read_in_either_case_and_hold_64_bits() -> None:
    # By hand: 64 bits are 12 digits of base32 and 4 bits more.
    assert TOKENS.string(rows(0)) == f"{TOKEN_SCHEME}:{'A' * 13}"
    assert TOKENS.string(rows((1 << 64) - 1)) == f"{TOKEN_SCHEME}:{'7' * 12}6"
    assert TOKENS.string(rows(1 << 63)) == f"{TOKEN_SCHEME}:Q{'A' * 12}"
    for value in (0, 1, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF):
        string = TOKENS.string(rows(value))
        assert TOKENS.parse(string).tolist() == rows(value).tolist()
        assert TOKENS.parse(string.lower()).tolist() == rows(value).tolist()
        assert is_fingerprint(string)
    strings = TOKENS.string(rows(0)), TOKENS.string(rows(0b111))
    assert compare_fingerprints(*strings) == 1 - 3 / 64


@pytest.mark.parametrize(
    "string", ["", "AAAAAAAAAAAAA", f"{TOKEN_SCHEME}:AAAA", f"{TOKEN_SCHEME}:{'A' * 12}B", "a b"]
)
def test_what_is_no_fingerprint_is_one_sentence(string: str) -> None:
    with pytest.raises(SchemeError, match=TOKEN_SCHEME):
        TOKENS.parse(string)


def test_a_string_of_another_scheme_is_rejected() -> None:
    with pytest.raises(SchemeMismatch) as error:
        TOKENS.parse("token-simhash64.v2:AAAAAAAAAAAAA")
    assert "'token-simhash64.v2'" in str(error.value)
    assert repr(TOKEN_SCHEME) in str(error.value)


def test_murmur3_has_the_published_values() -> None:
    # Of the four bytes "test": 0xba6bd213 with seed 0, 0x704b81dc with seed 0x9747b28c.
    word = np.array([int.from_bytes(b"test", "little")], np.uint32)
    assert FAMILIES["murmur3"](word, 0)[0] == 0xBA6BD213
    assert FAMILIES["murmur3"](word, 0x9747B28C)[0] == 0x704B81DC
    assert slow_methods.murmur3(b"test", 0x9747B28C) == 0x704B81DC


@pytest.mark.parametrize("family", FAMILIES)
def test_signatures_are_the_smallest_hashes(family: str) -> None:
    features = method_named(f"minhash-{family}").read([*TEXTS, ""])
    for row, text in zip(features.values, TEXTS, strict=False):
        assert row.tolist() == slow_methods.signature(text, family, 200)


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_values_estimate_the_resemblance(family: str) -> None:
    # 300 shingles of 900 are common: a third. The standard error is 0.033.
    letters = [chr(0x4E00 + place) for place in range(3000)]
    one, other = "".join(letters[:608]), "".join(letters[300:908])
    features = method_named(f"minhash-{family}").read([one, other])
    (score,) = features.score(np.array([0]), np.array([1]))
    assert abs(score - 1 / 3) < 4 * math.sqrt(1 / 3 * 2 / 3 / 200)


def test_the_threshold_of_bands_is_reached_with_less_than_certainty() -> None:
    banding = Banding(20, 10)
    assert banding.hashes == 200
    # By hand: ln(1/20) / 10 = -0.29957; 0.95^20 = 0.35849.
    assert banding.threshold == pytest.approx(0.7411, abs=5e-5)
    assert banding.probability(banding.threshold) == pytest.approx(0.6415, abs=5e-5)
    assert banding.probability(1) == 1
    assert "0.741" in method_named("minhash-modular").note
    assert "0.642" in method_named("minhash-modular").note


def test_weighted_words_have_the_fingerprint_of_zhang_and_he() -> None:
    from es_simhash.semantics.rarity import rarity

    text = "The harbour\nFinally the harbour and the ferries quickly decide, as harbours do."
    # Normal forms: plural lost; stop words left out. Finally is a marker and an adverb.
    counts = {"harbour": 3, "finally": 1, "ferry": 1, "quickly": 1, "decide": 1}
    shares = {word: 10 ** float(rarity([word], "en")[0]) for word in counts}
    weights = slow_methods.zhang_he(
        counts,
        shares,
        kind={"harbour": 3, "ferry": 3, "decide": 2},
        marker={"finally": 5},
        title={"harbour": 5},
    )
    features = weighted_fingerprints([text])
    assert int(features.numbers[0]) == slow_methods.weighted(weights)


def test_the_idf_of_the_texts_themselves_is_log_n_over_df() -> None:
    texts = [
        "The harbour and the ferry are in the town that we have seen.",
        "The harbour and the garden are in the town that we have seen.",
        "The harbour and the river were in the village that they had.",
    ]
    features = weighted_fingerprints(texts, corpus=True)
    counts = {"harbour": 1, "ferry": 1, "town": 1, "seen": 1}
    known = {word: count for word, count in counts.items() if word in _words(texts[0])}
    shares = {"harbour": 3 / 3, "ferry": 3 / 1, "town": 3 / 2, "seen": 3 / 2}
    weights = slow_methods.zhang_he(
        known, shares, kind=dict.fromkeys(known, 3), marker={}, title={}
    )
    assert int(features.numbers[0]) == slow_methods.weighted(weights)


def _words(text: str) -> set[str]:
    from es_simhash.semantics.languages.words import count_words

    return set(count_words(text, "en"))


def test_languages_that_are_not_read_are_named() -> None:
    thai = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน"
    features = weighted_fingerprints(["A harbour of the town is here.", thai, ""])
    assert features.unreadable == {
        1: "is in language 'th', and the method reads en and zh",
        2: "has no words",
    }
    assert features.score(np.array([1, 0]), np.array([1, 1])).tolist() == [0, 0]
