"""An index with everything that can be done with it: questions, writing and maintenance."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from es_simhash.fingerprints.fingerprint_scheme import Scheme
from es_simhash.ingestion.bulk.outcomes import Outcome
from es_simhash.ingestion.deduplication.version_rules import OnVersion
from es_simhash.ingestion.ingest import ingest
from es_simhash.ingestion.ingest_settings import DEFAULT_INGEST_SETTINGS, IngestSettings
from es_simhash.ingestion.undo import UndoReport, undo
from es_simhash.maintenance.backfills.backfill import backfill
from es_simhash.maintenance.backfills.backfill_job import BackfillSettings, Selection
from es_simhash.maintenance.backfills.estimate import Estimate, estimate
from es_simhash.maintenance.backgrounds.background_report import BackgroundReport
from es_simhash.maintenance.backgrounds.count_background import count_background
from es_simhash.maintenance.copies.copy_options import CopyOptions
from es_simhash.maintenance.copies.find_copies import find_copies
from es_simhash.maintenance.families.dismissals_and_joins import (
    ManualPair,
    dismiss,
    join,
    lift_undone,
    manual_pairs,
)
from es_simhash.maintenance.families.family_options import FamilyOptions
from es_simhash.maintenance.families.family_report import FamiliesReport
from es_simhash.maintenance.families.find_families import find_families
from es_simhash.maintenance.families.version_pairs import VersionPair, version_pairs
from es_simhash.maintenance.sweeps.sweep import SweepReport, SweepSettings, sweep
from es_simhash.maintenance.upgrades.upgrade import UpgradeOptions, UpgradeReport, upgrade
from es_simhash.pairs.copies import CopiesReport
from es_simhash.questions.index import Index as QueriedIndex
from es_simhash.questions.index import SidecarIndex as QueriedSidecar
from es_simhash.semantics.semantic_scheme import DEFAULT_SEMANTICS, SemanticScheme
from es_simhash.store.config import DocumentSettings
from es_simhash.store.elasticsearch.retry import RetryPolicy
from es_simhash.store.installation.document_settings import configure, document_settings
from es_simhash.store.installation.install import Request, install
from es_simhash.store.installation.proposal import propose_settings
from es_simhash.store.installation.uninstall import UninstallReport, uninstall
from es_simhash.store.protocol import Progress


class Index(QueriedIndex):
    """An index, alias or data stream that has fingerprint fields, or gets them by `install`.

    The constructor sends nothing.

    Args:
        client: Of the cluster.
        name: Of the index.
        config: Names of the fields, and the vocabulary; evidence names its concepts. An index that
            was installed with a vocabulary weighs it too, and then it must be that file.
        read_schemes: Whether the schemes are read from the mapping, once; otherwise they are those
            of `config`.
    """

    def install(
        self,
        *,
        scheme: Scheme | Sequence[str] | None = None,
        semantics: SemanticScheme | None = DEFAULT_SEMANTICS,
        dry_run: bool = False,
    ) -> list[Request]:
        """Add the fingerprint fields to the index, which is created when it does not exist.

        A new index also gets the mappings and settings of the component template `simhash@custom`,
        if the cluster has one.

        Args:
            scheme: Scheme of the fingerprints, by default that of `config`; or names: of that
                scheme, and of methods whose fingerprints documents get in addition. An index
                keeps those of methods that it has.
            semantics: Scheme of the semantic fields; None to find versions alone. An index that
                has semantic fields keeps them.
            dry_run: Send no request that writes.

        Returns:
            The requests made, or to be made with `dry_run`; none when everything is in place.

        Raises:
            MappingConflict: A field of that name exists with another type or another scheme, there
                is no field of vectors as the scheme needs it, or an index template gives a new
                index `subobjects: false`.
            InputError: Neither the mapping nor a document has a field of entities.
            SchemeError: A name is neither that of a scheme nor of a method that makes
                fingerprints.
            MissingExtra: A package that a method needs is not installed.
        """
        requests = install(
            self.gateway,
            self.name,
            scheme=self._given.scheme if scheme is None else scheme,
            semantics=semantics,
            simhash_field=self._given.simhash_field,
            dry_run=dry_run,
        )
        self._read_again()
        return requests

    def upgrade(
        self, options: UpgradeOptions | None = None, settings: BackfillSettings | None = None
    ) -> UpgradeReport:
        """Bring the index to the fields and the scheme of this version while it is in use.

        Where the scheme differs, documents get a second object with their families and flags, under
        a field of its own. When each has it, `_meta` of the mapping leads from the first field to
        it, so that whoever names the first finds the second. A run that was ended resumes.

        Args:
            options: Another scheme; or back to the one before, or the removal of its fields.
            settings: How documents are fingerprinted, and who gets the reports.

        Returns:
            Both schemes and fields, and what was written.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields, is a sidecar, or is a data stream of
                another scheme; or there is nothing to revert.
            ClusterError: Documents are written faster than they are fingerprinted.
        """
        report = upgrade(
            self.gateway, self.name, options=options, config=self._given, settings=settings
        )
        self._read_again()
        return report

    def uninstall(self, *, shared: bool = False, dry_run: bool = False) -> UninstallReport:
        """Remove what `install` and later runs have put into the index; a sidecar is deleted.

        The fields of all documents, the state index with manual decisions, and the entries of
        mapping, templates and settings. Audit logs and other files stay. A second run, or one after
        a run that was ended, removes what is left.

        Args:
            shared: Also delete the component template and the pipeline that all indices share.
            dry_run: Send no request that writes.

        Returns:
            What was removed, and what stays: the fields in the mapping can only be left behind by
            a re-index.

        Raises:
            MappingConflict: The index has no fingerprint fields, or is a sidecar with documents
                that no backfill wrote.
            ClusterError: Other writers add fields all the time, or a request is rejected.
        """
        report = uninstall(
            self.gateway,
            self.name,
            simhash_field=self._given.simhash_field,
            shared=shared,
            dry_run=dry_run,
        )
        self._read_again()
        return report

    def configure(
        self, changes: Mapping[str, Any], *, dry_run: bool = False
    ) -> dict[str, DocumentSettings]:
        """Store what the index says of its documents, in each index behind the name.

        Args:
            changes: By name as in `DocumentSettings`; None removes one, the others stay.
            dry_run: Check them and write nothing.

        Returns:
            The settings of each index as they are now, or would be.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields, or the date field holds no dates.
            InputError: Neither the mapping nor a document has a field, or a value is none of those
                allowed.
        """
        settings = configure(
            self.gateway,
            self.name,
            changes,
            simhash_field=self._given.simhash_field,
            dry_run=dry_run,
        )
        self._read_again()
        return settings

    def settings(self) -> DocumentSettings:
        """Return what the index says of its documents.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields, or two indices behind the name say
                different things.
        """
        return document_settings(self.gateway, self.name, simhash_field=self._given.simhash_field)

    def propose_settings(self) -> DocumentSettings:
        """Return what the index may say of its documents, from its mapping and a sample of them.

        Of a sidecar, the first index counts.

        Returns:
            Nothing is set of which no field is sure enough.

        Raises:
            IndexMissing: There is no such index.
        """
        return propose_settings(self.gateway, self.name, simhash_field=self._given.simhash_field)

    def ingest(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        on_version: OnVersion | str | None = None,
        settings: IngestSettings = DEFAULT_INGEST_SETTINGS,
    ) -> Iterator[Outcome]:
        """Write documents with their fingerprints, and yield the outcome of each, in order.

        Documents that the index has already are not written again. Only a few batches are held in
        memory. All work is done in the calling process, unless the settings request more
        processes.

        Args:
            documents: JSON objects. The id is `_id`, else `id`, else a digest of the document;
                what it is routed by is `_routing`, else the id or the routing of the document of
                the index.
            on_version: What to do with versions of stored documents: "skip", "flag", "link",
                "replace", or all rules; None or "off" to look for none.
            settings: How the run works.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no fingerprint fields, or is a sidecar.
            SchemeMismatch: It has another scheme than the one required.
            ClusterError: The cluster rejects every document, or is away for too long.
            InputError: The requested processes cannot be started.
        """
        try:
            yield from ingest(
                self.gateway,
                self.name,
                documents,
                config=self._given,
                on_version=on_version,
                settings=settings,
            )
        finally:
            # The run may have stored which fields are the text.
            self._read_again()

    def undo(
        self, audit: str | Path, *, run: str | None = None, retry: RetryPolicy | None = None
    ) -> UndoReport:
        """Restore what was skipped or replaced, and remove flags and families again.

        A document that is there, whatever it holds now, is never overwritten. Doing it twice does
        nothing the second time. No later run makes these decisions again, until a person lifts
        them with `dismiss(…, undo=True)` or `lift_undone`; `manual_pairs` lists them.

        Args:
            audit: The audit log: a file, or `index:NAME`.
            run: Id of the run to undo or the beginning of it, or "all"; not needed where the log
                has one run.
            retry: How long requests to a busy cluster are retried.

        Raises:
            InputError: The log has nothing about this index, or this run; it has several and none
                is named; or documents are to be restored, and the index weighs a vocabulary that
                is not given.
            FileInUse: A run writes the log at this moment.
            ClusterError: A document is rejected.
        """
        return undo(self.gateway, self.name, audit, run=run, config=self._given, retry=retry)

    def backfill(
        self,
        *,
        selection: Selection | None = None,
        sidecar: str | None = None,
        settings: BackfillSettings | None = None,
    ) -> Iterator[Outcome]:
        """Add `simhash` fields to documents of the index, and yield the outcome of each.

        Documents without fields of the schemes of the index are read, so that a run that was
        interrupted, even killed, resumes where it was, and a second one writes nothing. A write
        never overwrites a newer version of a document: that is read and fingerprinted in its
        place. When the point in time that is read expires, documents may be yielded again; none
        is written twice.

        Args:
            selection: Which documents to read; by default all without current fields.
            sidecar: Index to write the fields to, under the same ids; created when there is none.
                All documents are read, and those written whose version is another than the
                sidecar's.
            settings: How the run works, where failures are logged, and who gets its reports.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no such fields, or its documents could not be kept whole.
            ClusterError: The cluster takes no documents, or is away for too long.
            InputError: No document has such a text field, it lies in nested documents, or the
                index weighs another vocabulary.
            MissingExtra: The index needs a package that is not installed.
        """
        return backfill(
            self.gateway,
            self.name,
            config=self._given,
            selection=selection,
            sidecar=sidecar,
            settings=settings,
        )

    def estimate(
        self,
        *,
        selection: Selection | None = None,
        sidecar: str | None = None,
        settings: BackfillSettings | None = None,
    ) -> Estimate:
        """Return what `backfill` will take, from a sample; nothing is written.

        Args:
            selection: Which documents would be read.
            sidecar: Index the fields would be written to.
            settings: How the run would work.

        Raises:
            EsSimhashError: What `backfill` raises for the same index.
        """
        return estimate(
            self.gateway,
            self.name,
            config=self._given,
            selection=selection,
            sidecar=sidecar,
            settings=settings,
        )

    def families(
        self,
        *,
        options: FamilyOptions | None = None,
        progress: Progress | None = None,
    ) -> FamiliesReport:
        """Find the version families of the index and write them to `simhash.family`.

        Every document with fingerprints gets a family, a document without versions its own, so
        that `collapse` on the field returns each of them. Only documents without a family, and
        what is linked with them, are processed; the families are those of a run over all
        documents.

        Args:
            options: Which document represents a family, and which documents are processed.
            progress: Called now and then, with the texts whose candidates were retrieved.

        Returns:
            The families of several documents, and counts.

        Raises:
            InputError: The name stands for several indices, no document has the fingerprinted
                text in the text field, or no mapping has the date field.
            MappingConflict: The index has no fingerprint fields, or is a sidecar, or the date
                field holds no dates.
        """
        return find_families(
            self.gateway,
            self.name,
            options=options,
            config=self._given,
            progress=progress,
        )

    def version_pairs(
        self, *, options: FamilyOptions | None = None, progress: Progress | None = None
    ) -> Iterator[VersionPair]:
        """Yield each pair of documents that are versions of each other, and write nothing.

        All documents are read and compared first, as `families` does over all; what is remembered
        of them is on disk. A run that was killed meanwhile goes on from there.

        Args:
            options: Memory and journal of the run.
            progress: Called now and then, with what was read or compared.

        Raises:
            InputError: No document has the fingerprinted text in the text field.
            MappingConflict: The index has no fingerprint fields, or is a sidecar.
        """
        return version_pairs(
            self.gateway, self.name, options=options, config=self._given, progress=progress
        )

    def join(
        self, ids: Sequence[str], *, undo: bool = False, replace: bool = False
    ) -> list[ManualPair]:
        """Store that documents are versions of each other, or withdraw that.

        A join is stored by the ids in the state index INDEX-simhash, with the dismissals, and
        survives any change of the documents; who is joined with two others joins these as well.
        From then on `related` returns one as a version of the other, `ingest` and `sweep` decide
        that one is, and the next run of `families` puts them, with the families they are from,
        into one family.

        Args:
            ids: Ids of the documents, two or more; each is joined with the first.
            undo: Withdraw the joins among these documents.
            replace: Remove the dismissals that say the opposite.

        Returns:
            The joins that were stored or withdrawn.

        Raises:
            DocumentMissing: A document does not exist.
            InputError: There are fewer than two ids, a document has no words, two of the documents
                were dismissed, or there is nothing to withdraw.
        """
        return join(
            self.gateway,
            self.name,
            ids,
            undo=undo,
            replace=replace,
            simhash_field=self._given.simhash_field,
        )

    def dismiss(self, *ids: str, undo: bool = False, replace: bool = False) -> None:
        """Store that two documents are no versions of each other, or withdraw that.

        A dismissal is stored by the two ids in the state index INDEX-simhash and survives any
        change of the documents. From then on `related` does not return one as a version of the
        other, and `ingest` and `sweep` do not decide that one is; the next run of `families` puts
        them into two families. To withdraw also lifts decisions about the two that `undo`
        reverted, so that runs may make them again.

        Args:
            ids: Ids of the two documents.
            undo: Withdraw the dismissal.
            replace: Remove the join that says the opposite.

        Raises:
            DocumentMissing: A document does not exist.
            InputError: There are not two ids, both have the same id or the same text, they were
                joined, or there is nothing to withdraw.
        """
        dismiss(
            self.gateway,
            self.name,
            *ids,
            undo=undo,
            replace=replace,
            simhash_field=self._given.simhash_field,
        )

    def lift_undone(self, run: str) -> list[ManualPair]:
        """Lift the undone decisions of a run, so that the next runs may make them again.

        Args:
            run: Id of the run, or the beginning of it.

        Returns:
            The decisions that were lifted.

        Raises:
            InputError: No decision of such a run was undone, or those of several runs.
        """
        return lift_undone(self.gateway, self.name, run, simhash_field=self._given.simhash_field)

    def manual_pairs(self) -> list[ManualPair]:
        """Return the pairs of documents that a person decided about, sorted by their ids.

        Raises:
            InputError: The name stands for several indices.
        """
        return manual_pairs(self.gateway, self.name, simhash_field=self._given.simhash_field)

    def sweep(
        self,
        *,
        on_version: OnVersion | str | None = None,
        families: FamilyOptions | None = None,
        settings: SweepSettings | None = None,
    ) -> SweepReport:
        """Process what was written since the last sweep, whoever wrote it.

        Documents without `simhash` fields get them, those whose text was changed get new ones;
        then their families are found, and with rules the versions among them are flagged, linked
        or removed. A sweep ends by storing a checkpoint, the sequence numbers of each shard, in
        the state index INDEX-simhash; one that was killed is repeated by the next, and writes
        nothing twice. The first sweep processes all documents and removes none. When nothing was
        written, no document is read.

        Args:
            on_version: What is done with a changed document that is a version of another of its
                family: an action, or all rules; nothing by default.
            families: Which document represents a family; by default as in the last run of
                `families`.
            settings: How the sweep works, and whom it reports to.

        Raises:
            IndexMissing: The index does not exist.
            MappingConflict: It has no `simhash` fields, or its documents could not be kept whole.
            FileInUse: Another run writes the audit log; nothing was changed.
            ClusterError: The cluster takes no documents, is away for too long, or a privilege is
                missing.
            InputError: The name is that of a sidecar or a pattern, no document has the text field,
                or no mapping has the date field.
        """
        return sweep(
            self.gateway,
            self.name,
            on_version=on_version,
            families=families,
            config=self._given,
            settings=settings,
        )

    def count_background(self, *, vectors: bool = False) -> BackgroundReport:
        """Count how common words and names are in the index, from a sample of 2,000 texts.

        The counts are stored with their date in the state index INDEX-simhash, in place of those
        that were there. What is common in the index weighs less for semantic neighbours from the
        next question on. Of a language with fewer than 200 different texts nothing is stored, and
        general word frequencies count. The word vectors of the index are learned from the same
        sample where no document has been fingerprinted yet.

        Args:
            vectors: Learn the word vectors anew; `backfill` then gives them to the documents. Until
                that is done, neighbours with the vectors of before are compared by concepts and
                names.

        Raises:
            IndexMissing: There is no such index.
            MappingConflict: It has no `simhash` fields.
            InputError: It finds versions alone, or its vectors are not learned from it.
            ClusterError: A shard does not answer, or a privilege is missing; what was stored
                stays.
        """
        return count_background(self.gateway, self.name, config=self._given, vectors=vectors)

    def copies(
        self, *, options: CopyOptions | None = None, progress: Progress | None = None
    ) -> CopiesReport:
        """Find the documents of different owners, or families, that share passages.

        Candidates share shingles that few have; their texts are aligned, so that each passage is
        exact. Of two families the two documents that share most are returned. Nothing is written
        to the index.

        Args:
            options: Between which documents, and of which of them.
            progress: Called now and then, with the pairs that are aligned.

        Returns:
            The pairs, those with the longest passage first; the boilerplate; and what was left
            out.

        Raises:
            IndexMissing: There is no such index.
            InputError: No mapping has a field that was named, no document has a value of
                `between`, a family or fingerprints, more have no family than fit in memory, or
                the journal cannot be used.
            FileInUse: Another command has the journal.
            MappingConflict: The index has no fingerprint fields, or is a sidecar; `between` is an
                object, or the date field holds no dates.
        """
        return find_copies(
            self.gateway, self.name, options=options, config=self._given, progress=progress
        )


class SidecarIndex(Index, QueriedSidecar):
    """An index whose fingerprints `backfill` wrote into a sidecar.

    It answers as `Index` does. Candidates are found in the sidecar; texts, fields, dates and
    filters are those of the first index, and what was deleted there is not related to anything.
    `searches` returns the bodies that would be sent to the sidecar before any is widened; filters
    are there the ids that they leave, if these are few. The constructor sends nothing.

    A sidecar has neither texts nor families: what needs them is done with the first index, and
    `family`, `families`, `copies`, `ingest` and `sweep` say so by a `MappingConflict` or an
    `InputError`.

    Args:
        client: Of the cluster.
        name: Of the sidecar.
        config: As in `Index`; the field of the text is one of the first index.
        read_schemes: As in `Index`.
    """
