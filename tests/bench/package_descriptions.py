"""Descriptions of Debian's packages in German, French and Spanish, with their section as topic.

Volunteers translated them, and maintainers chose the sections; they are read from a mirror of
Debian 12, so that anybody can repeat what is measured on them.
"""

import bz2
import hashlib
import lzma
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from urllib.error import URLError
from urllib.request import urlopen

from tests.support.datasets import MissingData

LANGUAGES = ("de", "fr", "es")
_MIRROR = "http://deb.debian.org/debian"
_FOLDER = "dists/bookworm/main"
# The other sections say what a package is made of, as libs, doc and python, or nothing, as misc.
_SUBJECTS = {
    "admin", "comm", "database", "editors", "education", "electronics", "embedded", "fonts",
    "games", "graphics", "hamradio", "httpd", "mail", "math", "net", "news", "otherosfs",
    "science", "sound", "tex", "text", "vcs", "video", "web",
}  # fmt: skip
# Shorter ones name a part of a program.
_LEAST_WORDS = 20
_LEAST_OF_A_SECTION = 20
_MOST_TEXTS = 2000
_WORD = re.compile(r"\w+")


def package_descriptions(language: str) -> list[dict[str, str]]:
    """Return the descriptions in a language: `id`, `text`, which begins with the title, `topic`.

    Raises:
        MissingData: The mirror, DEBIAN_MIRROR or deb.debian.org, does not have them.
    """
    mirror = (os.environ.get("DEBIAN_MIRROR") or _MIRROR).rstrip("/")
    packages = lzma.decompress(_fetched(f"{mirror}/{_FOLDER}/binary-amd64/Packages.xz"))
    translation = f"{mirror}/{_FOLDER}/i18n/Translation-{language}.bz2"
    translated = bz2.decompress(_fetched(translation))
    return chosen_descriptions(packages.decode(), translated.decode(), language)


# Packages.xz is the same for all languages, so it stays cached.
@lru_cache(maxsize=2)
def _fetched(url: str) -> bytes:
    try:
        with urlopen(url, timeout=120) as answer:
            content: bytes = answer.read()
    except (URLError, TimeoutError, ValueError) as error:
        raise MissingData(
            f"Cannot read {url} ({error}). Set DEBIAN_MIRROR to a mirror of Debian."
        ) from error
    return content


def chosen_descriptions(packages: str, translated: str, language: str) -> list[dict[str, str]]:
    """Return one description of each source package, of at most 2,000 packages.

    Args:
        packages: A file `Packages`, which names sources and sections.
        translated: A file `Translation-LANGUAGE`.
        language: Its language.
    """
    known = {each["Package"]: each for each in _stanzas(packages.split("\n"))}
    described: dict[str, dict[str, str]] = {}
    for stanza in _stanzas(translated.split("\n")):
        package = known.get(stanza["Package"], {})
        topic = package.get("Section", "").rpartition("/")[2]
        title, _, body = stanza[f"Description-{language}"].partition("\n")
        if topic in _SUBJECTS and len(_WORD.findall(body)) >= _LEAST_WORDS:
            source = package.get("Source", stanza["Package"]).split()[0]
            described.setdefault(
                source,
                {"id": stanza["Package"], "text": f"{title}\n\n{body}", "topic": topic},
            )
    return _frequent(described.values())


def _frequent(documents: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the documents of sections that have enough of them, in an order of no meaning."""
    every = [dict(each) for each in documents]
    sizes = Counter(each["topic"] for each in every)
    kept = [each for each in every if sizes[each["topic"]] >= _LEAST_OF_A_SECTION]
    kept.sort(key=lambda each: hashlib.sha256(each["id"].encode()).digest())
    return kept[:_MOST_TEXTS]


def _stanzas(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each paragraph of a control file, continued lines joined.

    Source: https://www.debian.org/doc/debian-policy/ch-controlfields.html
    """
    stanza: dict[str, str] = {}
    field = ""
    for line in [*lines, ""]:
        if not line:
            if stanza:
                yield stanza
            stanza = {}
        elif line.startswith(" "):
            stanza[field] += "\n" + ("" if line.strip() == "." else line[1:])
        else:
            field, _, value = line.partition(":")
            stanza[field] = value.strip()
