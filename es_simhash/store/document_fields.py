"""What an index says of the user's documents: which fields mean what, and its defaults.

It is kept in `_meta` of the mapping, in the entry of the `simhash` object, so that it travels with
the index and nobody has to repeat it.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from es_simhash.described import constraints
from es_simhash.errors import InputError

# What is in braces in the pattern of a link.
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
# Key of the entry of `_meta`.
DOCUMENT_SETTINGS = "documents"


@dataclass(frozen=True)
class DocumentFields:
    """Fields of the user's documents that give an answer its context; None for no such field.

    Attributes:
        title: Field of the title.
        date: Field of the date, as the engine reads it: it says which version is newer.
        owner: Field of the owner or section: who published a document.
        language: Field of the language.
        link: Pattern of the address of a document, such as `https://example.org/{id}`; in braces
            stand `id` or names of fields.
    """

    title: str | None = None
    date: str | None = None
    owner: str | None = None
    language: str | None = None
    link: str | None = None

    def completed(self, others: "DocumentFields") -> "DocumentFields":
        """Return them, and of others those that are not here."""
        named = {name: value for name, value in asdict(self).items() if value is not None}
        return replace(others, **named)


@dataclass(frozen=True)
class DocumentSettings:
    """What is stored of an index; None for what it does not say.

    Attributes:
        text: Field of the text, or several as headline,body.
        title: Field of the title.
        date: Date field; it says which of two documents is newer.
        owner: Field of the owner or section.
        language: Field of the language.
        link: Address of a document, as https://example.org/{id}; in braces id or names of fields.
        representative: Document that represents a family, unless a run names another rule.
        min_score: Minimum score of relations, unless a search names another.
        version_threshold: Where versions begin, as `es-simhash lab tune` proposes it; scores are
            rescaled, so that versions still have 0.6 or more.
    """

    text: str | None = field(
        default=None, metadata=constraints(called="text-field", metavar="FIELD")
    )
    title: str | None = field(
        default=None, metadata=constraints(called="title-field", metavar="FIELD")
    )
    date: str | None = field(
        default=None, metadata=constraints(called="date-field", metavar="FIELD")
    )
    owner: str | None = field(
        default=None, metadata=constraints(called="owner-field", metavar="FIELD")
    )
    language: str | None = field(
        default=None, metadata=constraints(called="language-field", metavar="FIELD")
    )
    link: str | None = field(default=None, metadata=constraints(metavar="PATTERN"))
    representative: str | None = field(
        default=None, metadata=constraints(choices=("longest", "newest", "oldest"))
    )
    min_score: float | None = field(default=None, metadata=constraints(0, 1))
    version_threshold: float | None = field(default=None, metadata=constraints(above=0, below=1))

    @classmethod
    def from_meta(cls, entry: Mapping[str, Any]) -> "DocumentSettings":
        """Return what an entry of `_meta` says; what a later version added is left out."""
        stored = entry.get(DOCUMENT_SETTINGS, {})
        return cls(**{name: stored[name] for name in SETTINGS if name in stored})

    def to_meta(self) -> dict[str, Any]:
        """Return what is stored: what the index says, and nothing else."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def fields(self) -> DocumentFields:
        """The fields that give an answer its context."""
        return DocumentFields(self.title, self.date, self.owner, self.language, self.link)

    @property
    def field_names(self) -> dict[str, str]:
        """The fields of the documents that it names, by what they mean."""
        named = {name: getattr(self, name) for name in ("text", *_CONTEXT)}
        return {name: field for name, field in named.items() if field is not None}

    def changed(self, changes: Mapping[str, Any]) -> "DocumentSettings":
        """Return them with changes; None removes one.

        Raises:
            InputError: There is no setting of that name.
        """
        if unknown := sorted(changes.keys() - set(SETTINGS)):
            raise InputError(
                f"Unknown setting {unknown[0]!r}; use one of {', '.join(SETTINGS)}.",
                parameter="unset",
            )
        return DocumentSettings(**{**asdict(self), **changes})


SETTINGS: tuple[str, ...] = tuple(field.name for field in fields(DocumentSettings))
_CONTEXT = ("title", "date", "owner", "language")


def link_fields(link: str) -> list[str]:
    """Return what is in braces in the pattern of a link: `id`, or names of fields."""
    return PLACEHOLDER.findall(link)
