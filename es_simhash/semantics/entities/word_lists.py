"""Word lists and expressions of the rules that find named entities."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from itertools import groupby

from es_simhash.semantics.languages.words import stop_words


@dataclass(frozen=True)
class Rules:
    """The word lists of one language, all in lower case."""

    language: str
    packages: frozenset[str] | None
    leading: frozenset[str]
    opening: frozenset[str]
    times: frozenset[str]
    titles: frozenset[str]
    trailing: frozenset[str]
    articles: frozenset[str]
    acronyms: frozenset[str]
    everyday: frozenset[str]
    determiners: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=128)
def rules_of(language: str, packages: frozenset[str] | None = None) -> Rules:
    """Return the word lists of a language, to be read with the frequencies of these packages."""
    words = partial(rule_words, language=language)
    times, titles = words("time"), words("title")
    stops = stop_words(language)
    return Rules(
        language=language,
        packages=packages,
        leading=stops | times | titles,
        opening=words("opening"),
        times=times,
        titles=titles,
        trailing=stops - {"a"},
        articles=words("article"),
        acronyms=words("acronym"),
        everyday=words("everyday"),
        determiners=words("determiner"),
        names=words("name"),
    )


@lru_cache(maxsize=1024)
def rule_words(kind: str, language: str) -> frozenset[str]:
    """Return one list of data/entity_rules.txt, with what it holds for any language."""
    return _rows().get((kind, "*"), frozenset()) | _rows().get((kind, language), frozenset())


@lru_cache(maxsize=1)
def _rows() -> dict[tuple[str, str], frozenset[str]]:
    content = (files("es_simhash.semantics") / "data" / "entity_rules.txt").read_text("utf-8")
    rows = (line.split() for line in content.splitlines() if line and not line.startswith("#"))
    return {(kind, language): frozenset(words) for kind, language, *words in rows}


@lru_cache(maxsize=1)
def capital_runs() -> re.Pattern[str]:
    """Return the expression of a run of words with a capital; `initial` opens a sentence.

    Nothing follows the parts that repeat, so that it never goes back: its time is linear.
    The capital comes first, before what is looked up behind it, because the search then skips
    everything else at once. That holds only for classes below U+10000, beyond which few scripts
    have capitals (Deseret, Osage, Adlam).
    """
    capital = f"[{_class_of('Lu', 'Lt')}]"
    letter = f"[{_class_of('Lu', 'Lt', 'Ll')}\u0300-\u036f0-9_]"
    space = "[ \u00a0]"
    small = "|".join(sorted(_rows()["join", "*"], key=len, reverse=True)).replace("%", space)
    dotted = rf"(?:\.{capital})+\.?"  # U.S.
    initials = rf"\.(?= ?{capital})"  # J. Smith
    short = r"(?:[trs]|rs)\.(?=[ ])(?<=\b(?:St|Mt|Ft|Dr|Mr|Ms)\.)"
    plain = rf"{letter}*(?:(?:['’](?!s?(?!{letter}))|[-‐&]){letter}+)*(?:(?<= Jr)\.)?"
    rest = rf"(?:{dotted}|{initials}|{short}|{plain})"
    number = rf"\d+(?:\.\d+)*{letter}*"
    initial = (
        rf"(?:(?:(?<=[.!?:…•*|]{space}.)|(?<=[.!?][\"”’')]{space}.)|(?<=[ ][\"“‘'«„(].))"
        r"(?P<initial>))?"
    )
    return re.compile(
        rf"{capital}(?<!{letter}.){initial}{rest}"
        rf"(?:{space}(?:(?:{small}){space})?(?:{capital}{rest}|{number})){{0,9}}"
    )


def _class_of(*categories: str) -> str:
    """Write the inside of a character class: all letters of these categories below U+10000."""
    points = [point for point in range(0x10000) if unicodedata.category(chr(point)) in categories]
    runs = groupby(enumerate(points), key=lambda pair: pair[1] - pair[0])
    bounds = [[point for _, point in run] for _, run in runs]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in bounds)
