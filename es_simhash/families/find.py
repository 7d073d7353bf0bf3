"""A run over an index: who is of one family with whom, written into the documents."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from es_simhash.engine.gateway import Client, Gateway
from es_simhash.errors import InputError
from es_simhash.families.links import Library, Links, Progress
from es_simhash.families.names import names_of
from es_simhash.families.partition import Pair, families_of, pair
from es_simhash.families.postings import MOST_TEXTS
from es_simhash.families.report import Choice, Family, Found
from es_simhash.families.snapshot import Key, Snapshot, Stored
from es_simhash.families.writer import Writer
from es_simhash.fingerprints.hashing import digest_of_key
from es_simhash.indices.install import installed
from es_simhash.indices.state_index import StateIndex
from es_simhash.relation.version_score import member_score
from es_simhash.storage.fields import DEFAULT_FIELD

# Documents that are read and taken in in the time of a search for one.
READ_FOR_SEARCH = 4


def find_families(
    client: Client,
    index: str,
    *,
    choice: Choice | None = None,
    text_field: str = "text",
    simhash_field: str = DEFAULT_FIELD,
    progress: Progress | None = None,
) -> Found:
    """Find the version families of an index and write them to `simhash.family`.

    Every document with fingerprints gets a family, one without versions its own, so that
    `collapse` on the field shows each of them. Only documents without a family, and what hangs
    together with them, are looked at, and the outcome is that of a run over everything.

    Args:
        client: Of the cluster.
        index: Index, alias or data stream with fingerprints.
        choice: Who represents a family, and what is looked at.
        text_field: Field of the text.
        simhash_field: Name of our object.
        progress: Told, now and then, how many texts were asked for, and of how many so far.

    Raises:
        InputError: The name stands for several indices, or no document has a text in that field.
        MappingConflict: The index has no fingerprint fields.
    """
    choice = choice or Choice()
    state_index = StateIndex(client, index, simhash_field)
    scheme = installed(client, index, simhash_field).scheme
    with Snapshot(
        client,
        index,
        scheme,
        text_field=text_field,
        field=simhash_field,
        date_field=choice.date_field,
    ) as snapshot:
        run = _Run(snapshot, state_index, choice)
        run.look(progress)
        families = run.families()
    if run.looks_at_all:
        _require_texts(run.library, text_field)
    writes = run.writes(families)
    left: set[Key] = set(run.library.left)
    if not choice.dry_run:
        left |= Writer(client, simhash_field).write(writes)
        Gateway.of(client).refresh(index)
        run.remember(families, left)
    return _found(run, families, len(writes), left)


@dataclass
class _Named:
    """A family with the places of its documents, the representative first."""

    name: str
    keys: list[Key]


@dataclass
class _Run:
    """The state of one run."""

    snapshot: Snapshot
    state_index: StateIndex
    choice: Choice
    library: Library = field(init=False)
    links: Links = field(init=False)

    def __post_init__(self) -> None:
        self.library = Library(self.snapshot)
        self.recorded = self.state_index.sizes()
        self.sizes = self.snapshot.family_sizes()
        self.dismissals = self.state_index.dismissals()
        self.told = self.choice.told()
        self.looks_at_all = self.choice.everything or self.state_index.last_run() != self.told
        self.moments: dict[float | str, int] = {}
        self.apart: set[Pair[str]] = set()

    def look(self, progress: Progress | None) -> None:
        """Read what may have changed, and all that hangs together with it."""
        count, postings = self.snapshot.count(), None
        seeds: Collection[str] = () if self.looks_at_all else self._changed()
        if count <= MOST_TEXTS and (self.looks_at_all or len(seeds) * READ_FOR_SEARCH > count):
            every, postings = self.library.add_all()
            seeds = every if self.looks_at_all else seeds
        elif self.looks_at_all:
            seeds = self.library.add(self.snapshot.all())
        self.links = Links(self.library, self.snapshot, postings)
        self.apart = self._apart()
        self.links.explore(set(seeds), self.apart, progress)

    def _changed(self) -> list[str]:
        seeds = self.library.add(self.snapshot.without_family())
        names = [*self.sizes, *(self.recorded.keys() - self.sizes.keys())]
        changed = [name for name in names if self.sizes.get(name, 0) != self._expected(name)]
        seeds += self.library.add(self.snapshot.of_families(changed))
        pending = {id for each in self.dismissals if each.pending for id in each.ids}
        seeds += self.library.add(self.snapshot.of_ids(sorted(pending)))
        self.library.complete(sorted(set(seeds)))
        return seeds

    def _expected(self, name: str) -> int:
        return self.recorded.get(name, 1)

    def _apart(self) -> set[Pair[str]]:
        """Return the pairs of texts that were dismissed."""
        standing = [each.ids for each in self.dismissals if not each.undone]
        self.library.add(self.snapshot.of_ids(sorted({id for ids in standing for id in ids})))
        hashes: dict[str, str] = {
            key.id: stored.content_hash for key, stored in self.library.documents.items()
        }
        return {
            pair(hashes[one], hashes[other])
            for one, other in standing
            if one in hashes and other in hashes and hashes[one] != hashes[other]
        }

    def families(self) -> list[_Named]:
        """Return all families of the texts that were asked for, and of documents without words."""
        self.moments = self._places()
        best = self._best()
        order = {content_hash: self._rank(key) for content_hash, key in best.items()}
        groups = list(
            families_of(
                self.links.asked,
                self.links.neighbours,
                score=self._member_score,
                rank=lambda content_hash: (order[content_hash], content_hash),
                dismissed=self.apart,
            )
        )
        named = [
            _Named(name, self._keys(group, best))
            for name, group in zip(self._names(groups), groups, strict=True)
        ]
        empty = [_Named(digest_of_key(key.index, key.id), [key]) for key in self.library.empty]
        return sorted([*named, *empty], key=lambda each: each.name)

    def _member_score(self, one: str, other: str) -> float:
        # Linked texts score enough, and their texts may have to be read again.
        linked = self.links.scores.get(pair(one, other))
        if linked is not None:
            return linked
        return member_score(self.library.content(one), self.library.content(other))

    def _best(self) -> dict[str, Key]:
        """Return the document of each text that ranks highest."""
        copies = self.library.copies
        return {
            content_hash: max(copies[content_hash], key=lambda key: (self._rank(key), key))
            for content_hash in self.links.asked
        }

    def _rank(self, key: Key) -> int:
        """Return the place of a document among those that may represent a family."""
        stored = self.library.documents[key]
        if self.choice.rule == "longest":
            return self.library.characters[stored.content_hash]
        if stored.moment is None:
            return -len(self.moments)
        place = self.moments[stored.moment]
        return place if self.choice.rule == "newest" else -place

    def _places(self) -> dict[float | str, int]:
        """Return the moments of all documents their places in time, from 0."""
        documents = self.library.documents.values()
        moments = {stored.moment for stored in documents if stored.moment is not None}
        ordered = sorted(moments, key=lambda moment: (isinstance(moment, str), moment))
        return {moment: place for place, moment in enumerate(ordered)}

    def _keys(self, group: Sequence[str], best: dict[str, Key]) -> list[Key]:
        first = best[group[0]]
        keys = {key for content_hash in group for key in self.library.copies[content_hash]}
        return [first, *sorted(keys - {first})]

    def _names(self, groups: Sequence[Sequence[str]]) -> list[str]:
        earlier = {
            content_hash: [
                family
                for key in self.library.copies[content_hash]
                if (family := self.library.documents[key].family) is not None
            ]
            for content_hash in self.links.asked
        }
        here = Counter(name for names in earlier.values() for name in names)
        # A name that documents have whose text is not asked for belongs to another family.
        taken = {name for name, count in self.sizes.items() if count > here[name]}
        return names_of(groups, earlier, taken)

    def writes(self, families: Iterable[_Named]) -> list[tuple[Stored, str]]:
        """Return the documents whose family is not the one they have."""
        return [
            (self.library.documents[key], each.name)
            for each in families
            for key in each.keys
            if self.library.documents[key].family != each.name
        ]

    def remember(self, families: Sequence[_Named], left: set[Key]) -> None:
        """Write down how large the families are, and that the dismissals were seen."""
        sizes = {name: 0 for name in self.recorded if name not in self.sizes}
        for each in families:
            earlier = {self.library.documents[key].family for key in each.keys}
            sizes.update((name, 0) for name in earlier if name is not None)
        for each in families:
            sizes[each.name] = len([key for key in each.keys if key not in left])
        self.state_index.write_sizes(sizes, self.recorded)
        self.state_index.acknowledge([each for each in self.dismissals if each.pending])
        if self.looks_at_all:
            self.state_index.write_run(self.told)


def _require_texts(library: Library, text_field: str) -> None:
    if library.left and len(library.left) == len(library.documents):
        id = min(library.left).id
        raise InputError(
            f"No document has the text that was fingerprinted in field {text_field!r}, "
            f"{id!r} among them; name the field with --field."
        )


def _found(run: _Run, families: Sequence[_Named], written: int, left: set[Key]) -> Found:
    several = [each for each in families if len(each.keys) > 1]
    copies, documents = run.library.copies, run.library.documents
    return Found(
        tuple(
            Family(
                each.name,
                each.keys[0].id,
                tuple(key.id for key in each.keys),
                tuple(key.index for key in each.keys),
                tuple(documents[key].routing for key in each.keys),
            )
            for each in several
        ),
        sum(len(each.keys) for each in families),
        len(run.links.asked),
        written - (0 if run.choice.dry_run else len(left - run.library.left)),
        tuple(sorted(key.id for key in left)),
        tuple(sorted(copies[each][0].id for each in run.links.truncated)),
        run.choice.dry_run,
    )
