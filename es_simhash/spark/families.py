"""Version families of the documents of a frame: those of one machine, with their names."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any

from es_simhash.errors import InputError
from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.pairs.document_families import DocumentFamily, LinkedTexts
from es_simhash.pairs.family_changes import family_names
from es_simhash.pairs.merging import Pair, pair
from es_simhash.pairs.representatives import Representative, rank_of
from es_simhash.relation.candidate import StoredText
from es_simhash.relation.decided_pairs import ManualPairs
from es_simhash.relation.references import DocumentRef
from es_simhash.spark.components import components
from es_simhash.spark.engine import Batches, Columns, DataFrame, F, ddl, kept, rows_of, table
from es_simhash.spark.family_rules import FamilyRules, FrameFamilies
from es_simhash.spark.fingerprints import fingerprinted
from es_simhash.spark.links import LINK, linked_texts
from es_simhash.spark.texts import (
    DOCUMENT,
    PARTS,
    FrameColumns,
    compared_documents,
    distinct_texts,
    key_of,
    stored_parts,
)
from es_simhash.store.config import IndexConfig

# Documents and links that are read at once, and documents whose families are found together.
_ROWS = 1000
_TEXT, _LINK, _DOCUMENT = 0, 1, 2
_LINKS = tuple((name, kind) for name, kind in LINK)
_STORED = tuple((name, kind) for name, kind in PARTS if name not in ("asked", "least"))
# A text, a link or a document of a component, each with nulls in place of what it has not.
_PART: Columns = (("component", "long"), ("kind", "byte"), *_LINKS, *DOCUMENT, *_STORED)
# A document with its family; `name` is that of its text, `names` those of the texts of the family
# and only with its representative.
_MEMBER: Columns = (
    ("index", "string"),
    ("id", "string"),
    ("routing", "string"),
    ("family", "string"),
    ("representative", "boolean"),
    ("group", "string"),
    ("name", "string"),
    ("names", "array<string>"),
    ("stored", "string"),
)
_FAMILY = ("index", "id", "routing", "family", "representative")


def families(
    frame: DataFrame,
    columns: FrameColumns | None = None,
    config: IndexConfig | None = None,
    rules: FamilyRules | None = None,
) -> FrameFamilies:
    """Return the version families of the documents of a frame.

    Representatives and names are those that `Index.families` and `families_in_memory` choose.

    Args:
        frame: The documents; without the column `simhash` their texts are fingerprinted.
        columns: Names of the columns.
        config: Column of the text, the scheme, and where versions begin.
        rules: How families are found.

    Raises:
        InputError: A column is missing or holds what cannot be compared, two documents have one id,
            or dates decide and no column has them.
    """
    columns, config = columns or FrameColumns(), config or IndexConfig()
    rules = rules or FamilyRules()
    if rules.representative != "longest" and columns.date is None:
        raise InputError(
            f"Representative {rules.representative!r} needs a date. Set date.", parameter="date"
        )
    read = fingerprinted(frame, config)
    documents = kept(compared_documents(read, columns, config.scheme))
    _require_one_of_each(documents)
    manual = _manual_pairs(documents, rules)
    texts = kept(distinct_texts(documents))
    found = linked_texts(texts, config.versions_from, manual, max_texts=rules.max_texts)
    links = kept(found.pairs)
    parts = _parts(documents, texts, links, manual)
    find = partial(_members, rules.representative, config.versions_from, manual)
    members = kept(
        parts.repartition("component")
        .sortWithinPartitions("component", "kind")
        .mapInArrow(find, ddl(_MEMBER))
    )
    left_out = documents.where("content_hash is null")
    return FrameFamilies(
        _named(members, left_out, has_names=columns.family is not None),
        links,
        found.hot,
        left_out.select("index", "id", "routing"),
    )


def _require_one_of_each(documents: DataFrame) -> None:
    """Check that no two documents have one place.

    Raises:
        InputError: Two have.
    """
    places = documents.groupBy("index", "id", "routing").count()
    twice = places.where("count > 1").select("id").first()
    if twice is not None:
        raise InputError(f"Several rows have the id {twice[0]!r}. Set id.", parameter="id")


def _manual_pairs(documents: DataFrame, rules: FamilyRules) -> ManualPairs:
    """Return what a person decided about documents, as pairs of their texts."""
    ids = sorted({id for pairs in (rules.dismissed, rules.joined) for ids in pairs for id in ids})
    if not ids:
        return ManualPairs()
    wanted = documents.where(F.col("id").isin(ids) & F.col("key").isNotNull())
    hashes: dict[str, set[str]] = defaultdict(set)
    for id, content_hash in wanted.select("id", "content_hash").collect():
        hashes[id].add(content_hash)
    return ManualPairs.of_texts(rules.dismissed, rules.joined, hashes)


def _parts(
    documents: DataFrame, texts: DataFrame, links: DataFrame, manual: ManualPairs
) -> DataFrame:
    """Return all documents, the texts that are linked, and their links, with their components."""
    session = documents.sparkSession
    keyed = links.select(
        *(name for name, _ in LINK), _key("one").alias("one_key"), _key("other").alias("other_key")
    )
    edges = keyed.select(F.col("one_key").alias("one"), F.col("other_key").alias("other"))
    joined = [
        (key_of(text), key_of(other))
        for text in manual.joined.members
        for other in manual.joined.others(text)
    ]
    if joined:
        edges = edges.union(session.createDataFrame(joined, "one long, other long"))
    labels = kept(components(edges))
    # A text alone is a component, and so is a document without words.
    own = F.coalesce("component", "key", F.xxhash64("index", "id", "routing"))
    compared = documents.where("content_hash is not null")
    rows = (
        _as_parts(compared.join(labels, "key", "left").withColumn("component", own), _DOCUMENT),
        _as_parts(texts.join(labels, "key"), _TEXT),
        _as_parts(keyed.join(labels, keyed.one_key == labels.key), _LINK),
    )
    return rows[0].unionByName(rows[1]).unionByName(rows[2])


def _key(name: str) -> Any:
    """Return the number of a hash in a column, as `key_of` does."""
    high = F.conv(F.substring(name, 1, 1), 16, 10).cast("long") - 8
    return high * (1 << 60) + F.conv(F.substring(name, 2, 15), 16, 10).cast("long")


def _as_parts(frame: DataFrame, kind: int) -> DataFrame:
    frame = frame.withColumn("kind", F.lit(kind))
    return frame.select(
        *(
            (F.col(name) if name in _COLUMNS_OF[kind] else F.lit(None)).cast(type_).alias(name)
            for name, type_ in _PART
        )
    )


_BOTH = {"component", "kind"}
_COLUMNS_OF: Mapping[int, set[str]] = {
    _DOCUMENT: _BOTH | {name for name, _ in DOCUMENT},
    _TEXT: _BOTH | {"content_hash", *(name for name, _ in _STORED)},
    _LINK: _BOTH | {name for name, _ in LINK},
}


@dataclass
class _Components:
    """Some whole components, as one machine has them."""

    texts: dict[str, StoredText] = field(default_factory=dict)
    links: dict[Pair[str], float] = field(default_factory=dict)
    documents: dict[DocumentRef, dict[str, Any]] = field(default_factory=dict)
    empty: list[DocumentRef] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        if row["kind"] == _TEXT:
            self.texts[row["content_hash"]] = stored_parts(row)
        elif row["kind"] == _LINK:
            self.links[pair(row["one"], row["other"])] = row["score"]
        else:
            ref = DocumentRef(row["index"], row["id"], row["routing"])
            if row["key"] is None:
                self.empty.append(ref)
            else:
                self.documents[ref] = row

    def families(
        self, rank: Callable[[dict[str, Any]], Any], threshold: float, manual: ManualPairs
    ) -> Iterator[DocumentFamily[DocumentRef]]:
        """Yield the families of the documents with words."""
        copies: dict[str, list[DocumentRef]] = defaultdict(list)
        for ref, row in self.documents.items():
            copies[row["content_hash"]].append(ref)
        linked = LinkedTexts(self.texts, self.links, threshold, manual)
        yield from linked.document_families(
            copies,
            lambda ref: rank(self.documents[ref]),
            lambda ref: tuple(self.documents[ref]["values"]),
        )


def _members(
    representative: Representative, threshold: float, manual: ManualPairs, batches: Batches
) -> Iterator[Any]:
    """Yield the documents of whole components with their families."""
    rank = partial(_rank, representative)
    for some in _whole_components(batches):
        rows: list[tuple[Any, ...]] = []
        for family in some.families(rank, threshold, manual):
            rows += _rows(family, some.documents)
        for ref in some.empty:
            name = digest_of_key(str(ref.index), ref.id)
            rows.append((ref.index, ref.id, ref.routing, name, True, None, None, None, None))
        yield table(_MEMBER, rows)


def _rank(representative: Representative, row: dict[str, Any]) -> Any:
    date = row["number"] if row["moment"] is None else row["moment"]
    return rank_of(representative, row["characters"], date)


def _whole_components(batches: Batches) -> Iterator[_Components]:
    """Yield the components of rows, which are in their order, so many together."""
    rows = (row for several in rows_of(batches, _ROWS) for row in several)
    some = _Components()
    for _, component in groupby(rows, key=lambda row: row["component"]):
        for row in component:
            some.add(row)
        if len(some.documents) + len(some.empty) >= _ROWS:
            yield some
            some = _Components()
    yield some


def _rows(
    family: DocumentFamily[DocumentRef], documents: Mapping[DocumentRef, Mapping[str, Any]]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a family, with the name that it has unless another has a claim to it."""
    names = dict(zip(family.texts, family.names, strict=True))
    name_of = {ref: names[documents[ref]["content_hash"]] for ref in family.documents}
    stored = _stored_names((name_of[ref], documents[ref]["family"]) for ref in family.documents)
    (name,) = family_names([family.names], stored)
    group = family.names[0]
    for ref in family.documents:
        is_first = ref == family.documents[0]
        row = (ref.index, ref.id, ref.routing, name, is_first, group, name_of[ref])
        yield (*row, family.names if is_first else None, documents[ref]["family"])


def _stored_names(names: Iterable[tuple[str, str | None]]) -> dict[str, list[str]]:
    """Return the families that the documents of a text have, by the name of the text."""
    stored: dict[str, list[str]] = defaultdict(list)
    for name, family in names:
        if family is not None:
            stored[name].append(family)
    return stored


def _named(members: DataFrame, left_out: DataFrame, *, has_names: bool) -> DataFrame:
    """Return documents with families whose names no other family has.

    Families that may have one name are named together, as all of them are on one machine; of the
    others none has a claim to the name of another.
    """
    possible = members.where("names is not null").select(
        "group", F.explode(F.expr("transform(names, name -> substring(name, 1, 16))")).alias("name")
    )
    taken: set[str] = set()
    if has_names:
        stored = members.where("stored is not null and group is not null")
        possible = possible.union(stored.select("group", F.col("stored").alias("name")))
        lost = left_out.where("family is not null").select("family").distinct()
        taken = {row[0] for row in lost.collect()}
    claims = possible.distinct()
    contested = claims.groupBy("name").count().where("count > 1").select("name")
    if taken:
        session = members.sparkSession
        names = session.createDataFrame([(name,) for name in sorted(taken)], "name string")
        contested = contested.union(names)
    groups = claims.join(contested, "name", "left_semi").select("group").distinct()
    renamed = _names_of(members.join(groups, "group", "left_semi"), taken)
    if not renamed:
        return members.select(*_FAMILY)
    session = members.sparkSession
    names = session.createDataFrame(sorted(renamed.items()), "group string, renamed string")
    return (
        members.join(F.broadcast(names), "group", "left")
        .withColumn("family", F.coalesce("renamed", "family"))
        .select(*_FAMILY)
    )


def _names_of(members: DataFrame, taken: set[str]) -> dict[str, str]:
    """Return the names of families by their groups, which are few."""
    texts: dict[str, list[str]] = {}
    stored: dict[str, list[str]] = defaultdict(list)
    for row in members.select("group", "name", "names", "stored").collect():
        if row["names"] is not None:
            texts[row["group"]] = list(row["names"])
        if row["stored"] is not None:
            stored[row["name"]].append(row["stored"])
    names = family_names(list(texts.values()), stored, taken)
    return dict(zip(texts, names, strict=True))
