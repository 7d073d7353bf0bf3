"""Requests made of hostile ids, texts, names and filters, as they would reach a cluster.

Each value has a mark. What is sent has to be JSON, with the values where values stand and no other
structure than with harmless ones; or nothing is sent, for a reason of one sentence.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, cast
from unittest.mock import patch
from urllib.parse import unquote_to_bytes

from elastic_transport import ApiResponseMeta, BaseNode, HttpHeaders
from elastic_transport._node import NodeApiResponse
from elasticsearch import Elasticsearch

from es_simhash import Index, IngestSettings, SearchOptions
from es_simhash.errors import EsSimhashError
from es_simhash.store.config import IndexConfig
from es_simhash.store.elasticsearch.gateway import Gateway
from es_simhash.store.elasticsearch.retry import Waiter
from es_simhash.store.elasticsearch.store import ElasticsearchStore
from es_simhash.store.intents import CountValues, FindExcerpts, FindWords, Where, Words
from es_simhash.store.options import Recency
from tests.fuzz.hostile import altered, hostile_text, require_sentence, rounds
from tests.fuzz.lying_server import recorded
from tests.support.made_up_texts import make_text

# Stands in each hostile value, so that it is known wherever it is; no text has it by itself.
MARK = "\uf8f0"
_INDEX, _DAY = "articles", "2026-01-02"
_TEXT = make_text(1, 60)
_ROUNDS = 3
_HARMLESS_TEXTS = (
    _TEXT,
    f"{_TEXT} They met Anna Brown in Paris.",
    "The harbour was closed for two days, and the ships waited outside until the storm was over. "
    "Anna Brown said that the mayor of the town had warned the fishermen in time.",
    "人民共和国的权利。" * 9,
    "a b",
    "!",
)
# Values that end a string, an object, a line or a path where they are not escaped.
_BREAKERS: tuple[str, ...] = (
    '"',
    '"}',
    '"},{"',
    "\n",
    '\n{"index":{}}\n',
    "\\",
    "/",
    "/../",
    "?",
    "#",
    "%2f",
    "*",
)
# Where the names of members are words of texts.
_FEATURES = ("simhash.concepts", "simhash.entities")
_BREAKERS += (",", "..", "_all", ":", "^9", "~", "\u2028", "\x00", "\ud800", "{", "$", " ", "now")


@dataclass(frozen=True)
class Values:
    """What a user gives.

    Attributes:
        id: Of a document.
        text: Of a query.
        name: Of a field.
        value: Of a field, of a family or of a date.
        routing: Of a document.
        index: Of an index.
        filters: Queries.
    """

    id: str = "1"
    text: str = _TEXT
    name: str = "date"
    value: str = _DAY
    routing: str = "a"
    index: str = _INDEX
    filters: tuple[Mapping[str, Any], ...] = ()


HARMLESS = Values(filters=({"term": {"section": "news"}},))


class Listener(BaseNode):
    """Keeps what it is sent, and answers that there is nothing, or what was written."""

    sent: ClassVar[list[tuple[str, str, bytes]]] = []
    field: ClassVar[str] = ""

    def perform_request(
        self, method: str, target: str, body: bytes | None = None, *args: Any, **options: Any
    ) -> NodeApiResponse:
        self.sent.append((method, target, body or b""))
        path = target.partition("?")[0]
        answer = _answer(path, body or b"", self.field)
        headers = {"x-elastic-product": "Elasticsearch", "content-type": "application/json"}
        status = 200 if method != "HEAD" else 404
        meta = ApiResponseMeta(status, "1.1", HttpHeaders(headers), 0.0, self.config)
        # What was asked for may hold half of a character.
        data = json.dumps(answer).encode()
        return NodeApiResponse(meta, b"" if method == "HEAD" else data)

    def close(self) -> None:
        """There is no connection."""


def _answer(path: str, body: bytes, field: str) -> Any:
    """Return what a cluster answers that has each document that is asked for by its id."""
    lines = _values_of(body)
    match path.rpartition("/")[2]:
        case "_mapping":
            mapping = _mapping()
            mapping["properties"][field] = {"type": "date"}
            return {_INDEX: {"mappings": mapping}}
        case "_msearch":
            return {"responses": [_nothing() for _ in lines[1::2]]}
        case "_mget":
            return {"docs": [_document(each.get("_id")) for each in lines[0]["docs"]]}
        case "_bulk":
            return {"errors": False, "items": [{"index": {"status": 201}} for _ in lines[::2]]}
        case "_count":
            return {"count": 0, "_shards": {"total": 1, "successful": 1}}
        case "_pit":
            return {"id": "p", "succeeded": True, "num_freed": 1}
        case "_search":
            return _nothing()
        case "_refresh":
            return {"_shards": {"total": 1, "successful": 1, "failed": 0}}
    return {"acknowledged": True, "docs": [], _INDEX: {"settings": {}}}


@cache
def _recorded_mapping() -> str:
    answers = recorded()["related"]
    (body,) = [body for _, path, _, body in answers if path.endswith("_mapping")]
    return body


def _mapping() -> dict[str, Any]:
    (entry,) = json.loads(_recorded_mapping()).values()
    mapping: dict[str, Any] = entry["mappings"]
    return mapping


def _nothing() -> dict[str, Any]:
    total = {"value": 0, "relation": "eq"}
    families: dict[str, Any] = {"buckets": [], "after_key": {"family": ""}}
    return {
        "took": 1,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"total": total, "max_score": None, "hits": []},
        "aggregations": {"families": families},
        "pit_id": "p",
        "status": 200,
    }


def _document(id: Any) -> dict[str, Any]:
    place = {"_index": _INDEX, "_id": id, "_version": 1, "_seq_no": 1, "_primary_term": 1}
    return {**place, "found": True, "_source": {"text": _TEXT, "date": _DAY}}


def _values_of(body: bytes) -> list[Any]:
    """Return the values of JSON that was sent, one a line.

    Raises:
        AssertionError: It is none that can be sent.
    """
    lines = body.removesuffix(b"\n").split(b"\n") if body else []
    return [_value_of(line) for line in lines]


def _value_of(line: bytes) -> Any:
    def reject(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON: {line[:200]!r}")

    try:
        value = json.loads(line.decode(), parse_constant=reject)
    except ValueError as error:
        raise AssertionError(f"no JSON is sent: {line[:200]!r} ({error})") from error
    return value


def _options(values: Values) -> SearchOptions:
    return SearchOptions(
        filters=values.filters,
        fields=(values.name,),
        exclude=(values.id,),
        recency=Recency(values.name),
    )


def _words(values: Values) -> Words:
    of_value = ((values.name, values.value),)
    return Words(values.text, values.name, (values.name, "text"), of_value, (values.name, 2026))


def _ask_words(client: Any, values: Values) -> None:
    where, words = Where(filters=values.filters, ids=(values.id,)), _words(values)
    ElasticsearchStore(Gateway.of(client), values.index, IndexConfig()).ask(
        [
            FindWords(words, where),
            CountValues(words, where, (values.name,), values.name),
            FindExcerpts(words, where),
        ]
    )


def _written(values: Values) -> Iterator[dict[str, Any]]:
    yield {"id": values.id, "_routing": values.routing, "text": values.text, "date": values.value}
    yield {"id": "2", "text": _TEXT, values.name: values.value}


def _ingest(client: Any, values: Values) -> None:
    settings = IngestSettings(processes=1)
    outcomes = list(Index(client, values.index).ingest(_written(values), settings=settings))
    for outcome in outcomes:
        if not outcome.ok:
            require_sentence(str(outcome.reason))


Ask = Callable[[Any, Values], object]
# What is asked of an index, with all that a user gives.
ASKS: Mapping[str, Ask] = MappingProxyType(
    {
        "related": lambda client, values: Index(client, values.index).related(
            id=values.id, options=_options(values)
        ),
        "related to a text": lambda client, values: Index(client, values.index).related(
            text=values.text, options=_options(values)
        ),
        "searches": lambda client, values: Index(client, values.index).searches(
            text=values.text, options=_options(values)
        ),
        "explain": lambda client, values: Index(client, values.index).explain(values.id, "2"),
        "history": lambda client, values: Index(client, values.index).history(
            values.id, date_field=values.name
        ),
        "family": lambda client, values: Index(client, values.index).family(
            values.id, date_field=values.name, newer_than=values.value, filters=values.filters
        ),
        "dismiss": lambda client, values: Index(client, values.index).dismiss(values.id, "2"),
        "join": lambda client, values: Index(client, values.index).join([values.id, "2"]),
        "words": _ask_words,
        "ingest": _ingest,
    }
)
# A request that is answered with nothing of use is sent again, for minutes.
_SOON = patch.object(Waiter, "wait", lambda waiter, seconds: None)


def make_requests(chosen: random.Random) -> int:
    """Ask with hostile values: what is sent has the structure that harmless ones have."""
    count = 0
    for _ in rounds(chosen, _ROUNDS):
        verb = chosen.choice(list(ASKS))
        values = _hostile(chosen)
        for method, target, body in sent_by(verb, values):
            check(verb, values, (method, target, body))
            count += 1
    return max(count, 1)


def ask(verb: str, values: Values) -> None:
    """Ask, of a cluster that keeps what it is sent in `Listener.sent`.

    Args:
        verb: What is asked.
        values: With what.
    """
    Listener.sent.clear()
    Listener.field = values.name
    client = Elasticsearch("http://listens:9200", node_class=Listener, max_retries=0)
    with client, _SOON:
        ASKS[verb](client, values)


def sent_by(verb: str, values: Values) -> list[tuple[str, str, bytes]]:
    """Return what is sent; values that are rejected are so in one sentence.

    Args:
        verb: What is asked.
        values: With what.
    """
    try:
        ask(verb, values)
    except EsSimhashError as error:
        require_sentence(_without_given(str(error), values))
    return list(Listener.sent)


def _without_given(reason: str, values: Values) -> str:
    """Return a reason without what it names as it was given."""
    # The longest first: one may be a part of another.
    for given in sorted((values.id, values.name, values.value, values.index), key=len)[::-1]:
        reason = reason.replace(given, "…")
    return reason


def check(verb: str, values: Values, sent: tuple[str, str, bytes]) -> None:
    """Check a request: JSON, of the structure of a harmless one, with the values as they are.

    Raises:
        AssertionError: It is not.
    """
    method, target, body = sent
    path, _, query = target.partition("?")
    parts = [unquote_to_bytes(part).decode() for part in path.split("/")]
    shapes, places = _harmless_shapes()
    assert (method, *_general(parts, values)) in places, target
    assert not set(query) & set(' "<>\\^`{|}\n\0'), target
    for value in _values_of(body):
        if path.rpartition("/")[2] != "_bulk":
            # Of documents half a character is kept, as an escape.
            json.dumps(value, ensure_ascii=False).encode()
        for place, leaf in _leaves(value, values):
            assert place in shapes, (verb, place, leaf)
            if isinstance(leaf, str) and MARK in leaf:
                assert _is_given(leaf, values), (verb, place, leaf)


def _hostile(chosen: random.Random) -> Values:
    """Return values of which one or more are hostile."""

    def marked() -> str:
        if chosen.random() < 0.5:
            return f"a{MARK}{chosen.choice(_BREAKERS)}b{chosen.choice(_BREAKERS)}"
        return f"{MARK}{hostile_text(chosen)[:200]}"

    values = replace(HARMLESS, text=f"{_TEXT} {hostile_text(chosen)}")
    kinds = chosen.sample(["id", "text", "name", "value", "routing", "index", "filters"], 2)
    for kind in kinds:
        if kind == "filters":
            given = {"bool": {"must": [{"term": {"a": marked()}}, {"range": {"b": {"gt": 1.5}}}]}}
            wrong = {
                "term": {"a": chosen.choice([float("nan"), float("inf"), {1}, b"a", object()])}
            }
            some: Any = wrong if chosen.random() < 0.2 else altered(given, chosen) or wrong
            values = replace(values, filters=(some,))
        else:
            values = replace(values, **cast(Any, {kind: marked()}))
    return values


def _general(parts: list[str], values: Values) -> tuple[str, ...]:
    """Return the parts of a path with a star for the index, and for that of its state."""
    names = {values.index: "*", f"{values.index}-simhash": "*-simhash", _INDEX: "*"}
    return tuple(names.get(part, part) for part in parts)


def _leaves(value: Any, values: Values, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value within a value of JSON, and where it is, with a star for what was given."""
    if value in values.filters:
        yield f"{place}.FILTER", None
    elif isinstance(value, dict):
        for name, member in value.items():
            # Features have the words of a text as their names, in which the engine takes no dot.
            is_feature = place.endswith(_FEATURES) and "." not in name
            known = "*" if is_feature or name in _names(values) else name
            yield from _leaves(member, values, f"{place}.{known}")
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member, values, f"{place}[]")
    else:
        yield place, value


def _names(values: Values) -> tuple[str, ...]:
    return (values.name, values.index, HARMLESS.name)


def _is_given(leaf: str, values: Values) -> bool:
    """Check whether a text is one of the values, or one that is made of just these."""
    given = (values.id, values.text, values.name, values.value, values.routing, values.index)
    made = {f"{values.name}^3", f"{values.index}-simhash", *given}
    return leaf in made


@cache
def _harmless_shapes() -> tuple[frozenset[str], frozenset[tuple[str, ...]]]:
    """Return where values are in what is sent with harmless ones, and the paths of that."""
    shapes, places = set(), set()
    for text in _HARMLESS_TEXTS:
        for filters in ((), HARMLESS.filters) if text == _TEXT else (HARMLESS.filters,):
            values = replace(HARMLESS, text=text, filters=filters)
            for verb in ASKS:
                for method, target, body in sent_by(verb, values):
                    parts = target.partition("?")[0].split("/")
                    places.add((method, *_general(parts, values)))
                    for value in _values_of(body):
                        shapes |= {place for place, _ in _leaves(value, values)}
    return frozenset(shapes), frozenset(places)
