"""Word lists by which names are separated from other words with a capital."""

from dataclasses import dataclass
from functools import lru_cache, partial

from es_simhash.semantics.languages.word_lists import rule_words, stop_words


@dataclass(frozen=True)
class NameRules:
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
def name_rules(language: str, packages: frozenset[str] | None = None) -> NameRules:
    """Return the word lists of a language, to be used with the frequencies of these packages."""
    words = partial(rule_words, language=language)
    times, titles = words("time"), words("title")
    stops = stop_words(language)
    return NameRules(
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
