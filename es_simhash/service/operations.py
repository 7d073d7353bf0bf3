"""Operations of the API: questions, answers, and the description of each address."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from typing import Any, Literal

from es_simhash.store.options import SearchOptions

Filters = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Question:
    """A question about documents.

    Attributes:
        filters: Queries that every document must match.
        ids: Ids in the path.
        search: Search options that the request chooses.
        text: Text in the body; None without a body.
    """

    filters: Filters
    ids: tuple[str, ...] = ()
    search: SearchOptions = field(default_factory=SearchOptions)
    text: str | None = None

    @property
    def id(self) -> str:
        """The first id."""
        return self.ids[0]


@dataclass(frozen=True)
class ApiAnswer:
    """An answer, and the documents in it.

    Attributes:
        body: As JSON has it.
        ids: Ids of all documents in it.
    """

    body: dict[str, Any]
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Operation:
    """One address of the API that answers about documents.

    Attributes:
        path: Address with the names of its ids in braces, which stand at its end.
        summary: Summary for the OpenAPI document.
        schema: Name of the schema of its answers.
        answer: Answers a question; raises `DocumentMissing` where the filters match no such
            document.
        searches: Whether the query chooses search options; otherwise it must be empty.
        reads_text: Whether it is a POST with a text in its body.
        is_cached: Whether answers are kept while the documents in them stay as they are.
        is_heavy: Whether whole texts are compared, which may take seconds.
    """

    path: str
    summary: str
    schema: str
    answer: Callable[[Question], ApiAnswer]
    searches: bool = False
    reads_text: bool = False
    is_cached: bool = True
    is_heavy: bool = False

    @property
    def method(self) -> Literal["GET", "POST"]:
        """The method of HTTP."""
        return "POST" if self.reads_text else "GET"

    @property
    def prefix(self) -> str:
        """The path up to its ids."""
        return self.path.partition("{")[0]

    @property
    def ids(self) -> list[str]:
        """Names of the ids in the path."""
        parts = self.path.removeprefix(self.prefix).split("/")
        return [part.strip("{}") for part in parts if part]

    @property
    def route(self) -> str:
        """The path with its ids as one parameter, since an id may have slashes."""
        if not self.ids:
            return self.path
        return f"{self.prefix}{{{'id' if len(self.ids) == 1 else 'ids'}}}"

    def key(self, question: Question) -> str | None:
        """Return everything the answer to a question depends on; None where it is not kept."""
        if not self.is_cached:
            return None
        parts = [self.path, question.ids, astuple(question.search), question.filters]
        return json.dumps(parts, sort_keys=True)
