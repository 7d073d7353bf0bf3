import pickle
import random
from collections.abc import Callable, Iterable
from itertools import combinations

import pytest

from es_simhash.fingerprints.fingerprint_scheme import DEFAULT
from es_simhash.pairs.document_families import LinkedTexts, families_in_memory
from es_simhash.pairs.merging import connected_components, neighbours_of
from es_simhash.pairs.text_links import candidate_pairs, links_of
from es_simhash.relation.analysed_text import TextAnalyser
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.scoring import kept_share
from es_simhash.relation.thresholds import LEAST_KEPT, VERSION_SCORE


def members(families: list[list[str]]) -> set[frozenset[str]]:
    return {frozenset(family) for family in families}


def test_versions_are_one_family_and_strangers_are_not(texts: dict[str, str]) -> None:
    wanted = {frozenset(id for id in texts if id.split("-")[0] == f"t{seed}") for seed in range(12)}
    assert members(families_in_memory(texts)) == wanted


def test_the_order_of_the_texts_does_not_matter(texts: dict[str, str]) -> None:
    families = families_in_memory(texts)
    for seed in range(20):
        ids = list(texts)
        random.Random(seed).shuffle(ids)
        assert families_in_memory({id: texts[id] for id in ids}) == families


def test_a_further_text_of_no_family_changes_no_other(
    texts: dict[str, str], make_text: Callable[..., str]
) -> None:
    families = members(families_in_memory(texts))
    assert members(families_in_memory({**texts, "new": make_text(99)})) == {
        *families,
        frozenset({"new"}),
    }


def test_exact_copies_are_of_one_family(make_text: Callable[..., str]) -> None:
    copied = make_text(1)
    families = families_in_memory({"a": copied, "b": copied.upper(), "c": make_text(2)})
    assert members(families) == {frozenset("ab"), frozenset("c")}


def test_texts_without_words_are_families_of_their_own() -> None:
    assert members(families_in_memory({"a": "", "b": "", "c": "!!"})) == {
        frozenset("a"),
        frozenset("b"),
        frozenset("c"),
    }


def test_no_chain_joins_strangers(make_text: Callable[..., str]) -> None:
    """Each text is a version of the next, but the last has nothing of the first."""
    chain = [make_text(1)]
    for step in range(40):
        words = chain[-1].split()
        chain.append(" ".join([*words[15:], *make_text(1000 + step, 15).split()]))
    texts = {f"{number:02}": each for number, each in enumerate(chain)}
    read = dict(zip(texts, TextAnalyser(DEFAULT).stored_parts(texts.values()), strict=True))
    families = families_in_memory(texts)
    assert max(len(family) for family in families) > 1
    for representative, *others in families:
        for other in others:
            one, two = read[representative], read[other]
            assert one is not None
            assert two is not None
            assert kept_share(one, two) >= LEAST_KEPT
    assert not any({"00", "40"} <= set(family) for family in families)


def test_the_highest_rank_represents_its_family(texts: dict[str, str]) -> None:
    newest = families_in_memory(texts, rank=lambda id: id)
    oldest = families_in_memory(texts, rank=lambda id: [-ord(letter) for letter in id])
    for family in newest:
        assert family[0] == max(family)
    for family in oldest:
        assert family[0] == min(family)


def test_the_longest_represents_by_default(make_text: Callable[..., str]) -> None:
    short = make_text(5)
    long_ = f"{short} {make_text(6, 40)}"
    assert families_in_memory({"short": short, "long": long_}) == [["long", "short"]]


def test_dismissed_texts_are_of_two_families_even_beside_a_third(texts: dict[str, str]) -> None:
    assert frozenset({"t0-1", "t0-2", "t0-3"}) in members(families_in_memory(texts))
    for one, other in combinations(["t0-1", "t0-2", "t0-3"], 2):
        families = families_in_memory(texts, dismissed=[(one, other)])
        assert not any({one, other} <= set(family) for family in families)
        assert members(families_in_memory(texts, dismissed=[(other, one)])) == members(families)


def test_records_whose_numbers_differ_are_of_two_families() -> None:
    record = "Gateways to clinical trials. Bayes, M. and Rabasseda, X. Methods and Findings. "
    families = families_in_memory(
        {
            "a": record + "2007 29 7 467-509",
            "b": record.replace("and Findings", "& Findings") + "2007 29 467-509",
            "c": record + "2003 25 5 387-408",
        }
    )
    assert members(families) == {frozenset("ab"), frozenset("c")}


def test_texts_made_by_one_form_are_not_versions_of_each_other(
    make_text: Callable[..., str],
) -> None:
    form = make_text(7, 150)
    filled = {
        str(number): f"{make_text(3000 + number, 50)} {form} {make_text(4000 + number, 100)}"
        for number in range(6)
    }
    assert len(families_in_memory(filled)) == 6


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_families_of_parts_of_the_pairs_are_those_of_all(texts: dict[str, str], parts: int) -> None:
    """Each part is compared from a copy of what it needs, as a worker elsewhere would have it."""
    ids = sorted(texts)
    joined, dismissed = [(ids[0], ids[-1])], [(ids[0], ids[1]), (ids[4], ids[5])]
    analysed = dict(zip(ids, TextAnalyser().stored_parts(map(texts.get, ids)), strict=True))
    by_id = {id: text for id, text in analysed.items() if text is not None}
    hashes = {id: text.content_hash for id, text in by_id.items()}
    by_hash = {text.content_hash: text for text in by_id.values()}
    manual = ManualPairs.of_texts(dismissed, joined, {id: [text] for id, text in hashes.items()})

    pairs = list(candidate_pairs(by_hash))
    random.Random(1).shuffle(pairs)
    links: dict[tuple[str, str], float] = {}
    for number in range(parts):
        part = pairs[number::parts]
        needed = {text: by_hash[text] for linked in part for text in linked}
        links |= links_of(*pickle.loads(pickle.dumps((part, needed, VERSION_SCORE))))
    links = {linked: score for linked, score in links.items() if not manual.parts(*linked)}

    neighbours = neighbours_of([*links, *joined_texts(manual, by_hash)])
    components = list(connected_components(by_hash, neighbours))
    families = []
    for number in range(parts):
        group = {text for component in components[number::parts] for text in component}
        within = {linked: score for linked, score in links.items() if group.issuperset(linked)}
        part_texts = {text: by_hash[text] for text in group}
        linked = LinkedTexts(part_texts, within, VERSION_SCORE, manual)
        families += linked.families(group, lambda text: (by_hash[text].characters, text))

    expected = families_in_memory(texts, joined=joined, dismissed=dismissed)
    of_id = {text: id for id, text in hashes.items()}
    assert members([[of_id[text] for text in family] for family in families]) == members(expected)
    assert sum(len(family) > 1 for family in families) > 3


def joined_texts(manual: ManualPairs, texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of texts that are joined."""
    return [(text, other) for text in texts for other in manual.joined.others(text)]
