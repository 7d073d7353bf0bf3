"""What the processes do: parse a batch, fingerprint it, write the bulk request's body."""

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

from es_simhash.bulk.batches import Batch
from es_simhash.bulk.documents import ID, Document, Refused, loads, splice
from es_simhash.errors import InputError
from es_simhash.fingerprints.text_fingerprints import BATCH_CHARACTERS, content_hash
from es_simhash.semantics.entities.document_fields import upstream_entities
from es_simhash.storage.config import IndexConfig
from es_simhash.storage.encoding import encode
from es_simhash.storage.fields import CONTENT_HASH, SCHEME, SEMANTIC_SCHEME
from es_simhash.text.limits import MEBIBYTE, chunk_limit_error
from es_simhash.text.segmentation import normalise, segment

Found = Mapping[str, Mapping[str, Any]]
Prepare = Callable[[Batch, IndexConfig, "Found | None"], "Prepared"]


@dataclass
class Prepared:
    """A batch ready to be sent.

    Attributes:
        body: Body of the bulk request.
        ends: Where the action of each document ends in the body.
        ids: Id of each document in the body.
        places: Number in the batch of each document in the body.
        unchanged: Place and id of documents that need not be written, with the reason if it is
            another than that the index has them.
        refused: Documents that cannot be written.
    """

    body: bytes = b""
    ends: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    unchanged: list[tuple[int, str, str | None]] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


def identify(batch: Batch, config: IndexConfig) -> list[str]:
    """Return the ids of a batch, to look them up in the index."""
    return [each.id for each in batch.documents(config) if isinstance(each, Document)]


def prepare(batch: Batch, config: IndexConfig, found: Found | None) -> Prepared:
    """Make a batch ready to be sent.

    Args:
        batch: What was read.
        config: How its documents become actions.
        found: Documents of the index by id, to leave out those that are the same; None to leave
            out none.
    """
    prepared = Prepared()
    documents = _last_of_each_id(accepted(batch, config, prepared), prepared)
    member = json.dumps(config.simhash_field).encode()
    actions = [
        action(document.id, splice(document.source, member, simhash))
        for document, simhash in enriched(documents, config, found, prepared)
    ]
    fill(prepared, actions)
    return prepared


def enriched(
    documents: list[Document], config: IndexConfig, found: Found | None, prepared: Prepared
) -> Iterator[tuple[Document, bytes]]:
    """Yield each document that is to be written with our object; `prepared` gets the others.

    Args:
        documents: Those that were accepted.
        config: How they become actions.
        found: Documents of the index by id, to leave out those that are the same.
        prepared: Gets the ids and places of those that are yielded as well.
    """
    if found:
        documents = list(_changed(documents, found, config, prepared))
    for group in _groups(documents):
        yield from _enriched(group, config, prepared)


def fill(prepared: Prepared, actions: Sequence[bytes]) -> None:
    """Put the actions together as the body."""
    end = 0
    for action in actions:
        end += len(action)
        prepared.ends.append(end)
    prepared.body = b"".join(actions)


def accepted(batch: Batch, config: IndexConfig, prepared: Prepared) -> list[Document]:
    """Parse a batch; `prepared` gets what is refused."""
    documents = []
    for each in batch.documents(config):
        if isinstance(each, Refused):
            prepared.refused.append(each)
        elif len(each.text) > MEBIBYTE and (reason := _too_many_chunks(each, config)):
            prepared.refused.append(Refused(each.place, each.id, reason))
        else:
            documents.append(each)
    return documents


def _too_many_chunks(document: Document, config: IndexConfig) -> str | None:
    """Count before the costly part: fingerprints of 16 MiB of text take more than 1 GB."""
    segmentation = segment([normalise(document.text)], config.scheme)
    return chunk_limit_error(int(segmentation.text_chunks[-1]))


def _last_of_each_id(documents: list[Document], prepared: Prepared) -> list[Document]:
    """Of documents with one id the last is written, as if they came one after the other."""
    last = {each.id: each.place for each in documents}
    if len(last) == len(documents):
        return documents
    reason = "A later document has the same id."
    prepared.unchanged += [
        (each.place, each.id, reason) for each in documents if last[each.id] != each.place
    ]
    return [each for each in documents if last[each.id] == each.place]


def _changed(
    documents: list[Document], found: Found, config: IndexConfig, prepared: Prepared
) -> Iterator[Document]:
    for each in documents:
        if each.id in found and _is_same(each, found[each.id], config):
            prepared.unchanged.append((each.place, each.id, None))
        else:
            yield each


def _is_same(document: Document, stored: Mapping[str, Any], config: IndexConfig) -> bool:
    """True when the index has the document, every field of it, with fresh fingerprints.

    The content hash is compared too: a program may have changed the text alone.
    """
    ours = stored.get(config.simhash_field)
    if not isinstance(ours, Mapping) or ours.get(SCHEME) != config.scheme.name:
        return False
    if config.semantics is not None and ours.get(SEMANTIC_SCHEME) != config.semantics.name:
        return False
    theirs = {name: value for name, value in stored.items() if name != config.simhash_field}
    wanted = _exact(document.line)
    for name in (ID, config.simhash_field):
        wanted.pop(name, None)
    # As JSON, in which 1, 1.0 and true differ.
    if json.dumps(wanted, sort_keys=True) != json.dumps(theirs, sort_keys=True):
        return False
    return bool(ours.get(CONTENT_HASH) == content_hash(normalise(document.text)))


def _exact(line: str) -> dict[str, Any]:
    """Parse so that a number with more digits than Python keeps equals no other number."""
    fields: dict[str, Any] = json.loads(line, parse_int=_exact_int, parse_float=_exact_float)
    return fields


def _exact_int(digits: str) -> Any:
    return int(digits) if len(digits) < 1000 else {"digits": digits}


def _exact_float(digits: str) -> Any:
    number = float(digits)
    return number if len(digits) <= 17 or repr(number) == digits else {"digits": digits}


def _groups(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Groups of as many characters as the fingerprints are computed fastest for."""
    group: list[Document] = []
    characters = 0
    for each in documents:
        group.append(each)
        characters += len(each.text)
        if characters >= BATCH_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _enriched(
    group: list[Document], config: IndexConfig, prepared: Prepared
) -> Iterator[tuple[Document, bytes]]:
    sources = None
    if config.semantics is not None and config.semantics.entity_fields:
        group, sources = _with_sources(group, config.semantics.entity_fields, prepared)
    derived = encode([each.text for each in group], config, sources)
    for document, count, simhash in zip(group, derived.chunks, derived.objects, strict=True):
        if reason := chunk_limit_error(count):
            prepared.refused.append(Refused(document.place, document.id, reason))
            continue
        prepared.ids.append(document.id)
        prepared.places.append(document.place)
        yield document, simhash


def _with_sources(
    group: list[Document], fields: Sequence[str], prepared: Prepared
) -> tuple[list[Document], list[dict[str, Any]]]:
    """Parse the documents for the entities they bring; those with a wrong shape are refused."""
    kept, sources = [], []
    for document in group:
        source = loads(document.line)
        try:
            upstream_entities(source, fields)
        except InputError as error:
            prepared.refused.append(Refused(document.place, document.id, str(error)))
            continue
        kept.append(document)
        sources.append(source)
    return kept, sources


def action(id: str, source: bytes) -> bytes:
    """Return the two lines of a bulk request that write one document."""
    return b'{"index":{"_id":%b}}\n%b\n' % (json.dumps(id).encode(), source)


class InThisProcess(Executor):
    """Does the work where it is asked for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function and give a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def make_pool(processes: int) -> Executor:
    """Return processes for the fingerprints; one is this process."""
    if processes <= 1:
        return InThisProcess()
    # The matrices are small and every processor has its process: threads of the linear algebra
    # would only wait for each other. Read by the new processes when they load numpy.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    # A fork would copy the threads' locks.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_start_worker)


def default_processes() -> int:
    """Return the number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it even when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
