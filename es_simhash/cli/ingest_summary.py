"""The summary of `es-simhash ingest`."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import click

from es_simhash.cli.output import print_json, undated_line
from es_simhash.errors import EsSimhashError
from es_simhash.ingestion.bulk.outcomes import IngestReport, Outcome
from es_simhash.ingestion.ingest_settings import IngestProgress


@dataclass
class IngestSummary:
    """What a run did, printed however it ends.

    Attributes:
        output_format: `table` or `json`.
        audit: Audit log; None when no versions are looked for.
        run: Id of the run in it.
        progress: Of the run; it has what an interrupted run did.
        report: What became of the documents that this one read.
        started: When the run began.
    """

    output_format: str
    audit: str | None = None
    run: str | None = None
    progress: IngestProgress = field(default_factory=IngestProgress)
    report: IngestReport = field(default_factory=IngestReport)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Duration so far, above zero."""
        return max(time.monotonic() - self.started, 1e-9)

    @property
    def total(self) -> IngestReport:
        """What became of all documents, also of those of an interrupted run."""
        return self.progress.before + self.report

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a document."""
        self.report.add(outcome)

    @contextmanager
    def printed(self) -> Iterator[None]:
        """Print the summary in the end, but not of a run that is refused before it begins."""
        try:
            yield
        except EsSimhashError:
            if self.report.documents:
                self._print()
            raise
        except BaseException:
            self._print()
            raise
        self._print()

    def _print(self) -> None:
        if self.output_format == "json":
            self._print_json()
            return
        click.echo(self._line())
        if self.audit is not None:
            self._print_versions(self.audit)

    def _print_json(self) -> None:
        total = self.total
        print_json(
            {
                **total.to_dict(),
                "versions": None if self.audit is None else total.versions,
                "undated": sorted(total.undated),
                "documents_before": self.progress.before.documents,
                "seconds": round(self.seconds, 3),
                "audit": self.audit,
                "run": self.run,
            }
        )

    def _line(self) -> str:
        before = self.progress.before.documents
        rate = self.report.documents / self.seconds
        resumed = f", {before} by the interrupted run" if before else ""
        return f"{self.total.summary} in {self.seconds:.1f} s ({rate:.0f} documents/s{resumed})"

    def _print_versions(self, audit: str) -> None:
        total = self.total
        stored = total.replaced_stored
        replaced = f", {stored} of the index replaced" if stored else ""
        click.echo(f"{total.versions} versions{replaced}; decisions in {audit} (run {self.run}).")
        if total.undated:
            click.echo(undated_line(tuple(sorted(total.undated))))
