"""Small sets of known versions: families of real collections, or made-up texts."""

from es_simhash.errors import InputError
from tests.bench.method_runs import Truth
from tests.support import datasets
from tests.support.made_up_texts import WORDS, make_text, revise

SETS = ("law_versions_zh", "pep_versions", "law_versions_de", "terms_versions")
MADE_UP = {
    "made-up Chinese": True,
    "made-up words": False,
    "more Chinese": True,
    "more words": False,
}
NAMES = {
    "law_versions_zh": "Chinese laws",
    "pep_versions": "PEPs",
    "law_versions_de": "German laws",
    "terms_versions": "terms",
}
_FAMILY = 4
# Seeds of a made-up set.
_SEEDS = 1000
# Of the versions of a made-up text, and of a text that only took something from it.
_REPLACED, _STRANGE = (0.03, 0.12), 0.6
_HAN = 0x4E00


def small_sets(most: int) -> tuple[dict[str, Truth], tuple[str, ...]]:
    """Return sets of up to so many texts, and what there is to say about them.

    F1 is shown of the first two; the others help to choose cuts.

    Args:
        most: Texts of a set; families stay whole.
    """
    try:
        sets = {name: _real(name, most) for name in SETS}
    except InputError as error:
        made = {
            name: made_up(most, first, han=han) for first, (name, han) in enumerate(MADE_UP.items())
        }
        return made, (f"{error} These figures are of made-up texts.",)
    counts = "; ".join(
        f"{name} {len(truth.texts)}, {len(truth.versions)}" for name, truth in sets.items()
    )
    return sets, (f"Whole families; texts, pairs of versions: {counts}.",)


def _real(name: str, most: int) -> Truth:
    """Return a set: half of the texts from its smallest families of versions, then the others."""
    known = datasets.version_set(name)
    families = sorted(known.chains.values(), key=len)
    ids: set[str] = set()
    for share, least in ((0.5, 2), (1, 1)):
        for family in families:
            if len(family) >= least and len(ids.union(family)) <= share * most:
                ids.update(family)
    return Truth(
        {id: text for id, text in known.texts.items() if id in ids},
        {key for key in known.versions if ids.issuperset(key)},
        {key for key in known.neither if ids.issuperset(key)},
    )


def made_up(most: int, number: int = 0, *, han: bool = False) -> Truth:
    """Return families of an original, two versions, and a text that took two fifths from it.

    Args:
        most: Texts at the most, at least eight.
        number: Of the set; sets of different numbers have different texts.
        han: Whether each word is written as one Chinese character.
    """
    texts: dict[str, str] = {}
    versions: set[datasets.Pair] = set()
    for family in range(most // _FAMILY):
        seed = number * _SEEDS + family
        original = make_text(seed)
        revised = [revise(original, seed, share) for share in (*_REPLACED, _STRANGE)]
        ids = [f"{family}-{number}" for number in range(_FAMILY)]
        texts.update(zip(ids, [original, *revised], strict=True))
        pairs = ((0, 1), (0, 2), (1, 2))
        versions.update(datasets.pair(ids[one], ids[other]) for one, other in pairs)
    if han:
        texts = {id: _as_han(text) for id, text in texts.items()}
    return Truth(texts, versions, set())


def _as_han(text: str) -> str:
    places = {word: chr(_HAN + place) for place, word in enumerate(WORDS)}
    return "".join(
        places[word.removesuffix(".")] + ("。" if word.endswith(".") else "")
        for word in text.split()
    )
