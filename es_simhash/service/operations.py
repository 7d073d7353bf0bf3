"""Operations of the API: questions, answers, and the description of each address."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from functools import lru_cache
from typing import Any, Literal

from es_simhash.constraints import constraints
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.pairs.parted_texts import Within
from es_simhash.service.answer_types import plain
from es_simhash.store.options import SearchOptions

Filters = Sequence[Mapping[str, Any]]
# Sequence number and primary term of documents, by index and id.
States = Mapping[tuple[str, str], tuple[int, int]]
# The beginning of every address whose answers are promised to keep their form.
VERSION = "/v1"
# Requests that a comparison of whole texts counts for.
HEAVY = 10


@dataclass(frozen=True)
class MemberPage:
    """Which members of a family are returned.

    Attributes:
        size: Maximum number of members.
        offset: Members to pass over, of the same list in pages of `size`.
    """

    size: int = field(default=50, metadata=constraints(1))
    offset: int = field(default=0, metadata=constraints(0, called="from"))


@dataclass(frozen=True)
class FamilyPage:
    """Which families are returned.

    Attributes:
        size: Maximum number of families.
        after: Name of the last family of the page before; None for the first page.
    """

    size: int = field(default=50, metadata=constraints(1))
    after: str | None = None


# What a question has that its request leaves out, made and checked once.
_SEARCH, _MEMBERS, _FAMILIES = SearchOptions(), MemberPage(), FamilyPage()
_RULES = OnVersion("skip")


@dataclass(frozen=True)
class Question:
    """A question about documents.

    Attributes:
        filters: Queries that every document must match.
        ids: Ids in the path, or in the body.
        search: Search options that the request chooses.
        text: Text in the body; None for none.
        members: Which members of a family are returned.
        families: Which families are returned.
        rules: What counts as a version of a draft.
        within: Values of a draft in the field that keeps documents apart; None for any.
    """

    filters: Filters
    ids: tuple[str, ...] = ()
    search: SearchOptions = _SEARCH
    text: str | None = None
    members: MemberPage = _MEMBERS
    families: FamilyPage = _FAMILIES
    rules: OnVersion = _RULES
    within: Within | None = None

    @property
    def id(self) -> str:
        """The first id."""
        return self.ids[0]


@dataclass(frozen=True)
class ApiAnswer:
    """An answer, and the documents in it.

    Attributes:
        body: Of the type that the operation answers with.
        ids: Ids of all documents in it.
    """

    body: Any
    ids: frozenset[str] = frozenset()

    @property
    def plain(self) -> dict[str, Any]:
        """The body as JSON has it."""
        members: dict[str, Any] = plain(self.body)
        return members

    @property
    def next(self) -> str | None:
        """The next page, relative to the address of this one; None without one."""
        following: str | None = getattr(self.body, "next", None)
        return following


@lru_cache(maxsize=1_000)
def _as_json(options: "SearchOptions | MemberPage | FamilyPage") -> str:
    return json.dumps(astuple(options), sort_keys=True)


@dataclass(frozen=True)
class Operation:
    """One address of the API that answers about documents.

    Attributes:
        path: Address with the names of its ids in braces, which stand at its end.
        name: Name of the method that a generated client has for it.
        summary: Summary for the OpenAPI document.
        answers: Type of its answers.
        answer: Answers a question; raises `DocumentMissing` where the filters match no such
            document.
        options: Class of the options that the query chooses; None where it must be empty.
        body: Type of the body of a POST; None for a GET.
        is_cached: Whether answers are kept while the documents in them stay as they are.
        is_heavy: Whether whole texts are compared, which may take seconds.
    """

    path: str
    name: str
    summary: str
    answers: type
    answer: Callable[[Question], ApiAnswer]
    options: type | None = None
    body: type | None = None
    is_cached: bool = True
    is_heavy: bool = False

    def cost(self, question: Question) -> int:
        """Return how many requests a new answer counts for; one from the cache counts for one."""
        if self.is_heavy:
            return HEAVY
        return max(1, len(question.ids)) if self.body is not None else 1

    @property
    def method(self) -> Literal["GET", "POST"]:
        """The method of HTTP."""
        return "GET" if self.body is None else "POST"

    @property
    def prefix(self) -> str:
        """The path up to its ids."""
        return self.path.partition("{")[0]

    @property
    def tag(self) -> str:
        """The part of the path that operations about the same have in common."""
        return self.path.split("/")[2] if self.path.startswith(f"{VERSION}/") else "service"

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
        chosen = [
            _as_json(options) for options in (question.search, question.members, question.families)
        ]
        parts = [self.path, question.ids, chosen, question.filters]
        return json.dumps(parts, sort_keys=True)
