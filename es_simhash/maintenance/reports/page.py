"""A report as one HTML file to mail: no script, nothing loaded from elsewhere."""

from dataclasses import dataclass, field

from es_simhash.differences.rendering.pictures import EvidenceBar, evidence_bars
from es_simhash.maintenance.copies import sentences
from es_simhash.maintenance.reports.figures import (
    Part,
    ScoreRange,
    SizeRange,
    parts,
    percent,
    score_ranges,
    size_ranges,
)
from es_simhash.maintenance.reports.index_report import ClosePair, IndexReport
from es_simhash.pages.rendering import render_page, shortened, web_address
from es_simhash.pairs.copies import Boilerplate, Copy
from es_simhash.relation.relation import DocumentContext
from es_simhash.text.counting import counted, plural

_MAX_PASSAGE = 400
_MAX_PAIRS = 10


class ReportLinks:
    """Addresses of what is behind a figure, None for no link.

    These are for a report that is read without a server: to the web pages of its documents alone.
    """

    def document(self, id: str, context: DocumentContext) -> str | None:
        """Return the address of a document: its own, if it is one of the web."""
        return web_address(context.link)

    def family(self, name: str) -> str | None:
        """Return the address of a family."""

    def pair(self, a: str, b: str) -> str | None:
        """Return the address of the comparison of two documents."""

    def part(self, part: Part) -> str | None:
        """Return the address of the documents of a part of all documents."""

    def sizes(self, sizes: SizeRange) -> str | None:
        """Return the address of the families of some sizes."""

    def scores(self, scores: ScoreRange) -> str | None:
        """Return the address of the pairs of some scores."""


@dataclass(frozen=True)
class ReportPage:
    """A report, as a page shows it.

    Attributes:
        report: The report.
        links: Addresses that its figures lead to.
    """

    report: IndexReport
    links: ReportLinks = field(default_factory=ReportLinks)

    @property
    def headline(self) -> str:
        """The main result as one sentence without a full stop."""
        return headline(self.report)

    @property
    def lead(self) -> str:
        """The consequences of the main result in a sentence or two."""
        sizes = self.report.sizes
        if not self.report.status.documents:
            return "Nothing was counted."
        if sizes is None:
            return (
                "Their fingerprints are there. Which of them are versions is known after "
                f"`es-simhash families run {self.report.status.index}`."
            )
        if not sizes.versions:
            return "Each of them is the only one of its family."
        total = _counted(self.report)
        left = total - sizes.versions + sizes.families
        families = counted(sizes.families, "family")
        documents = counted(left, "document")
        return (
            f"They form {families}. With one document of each, {documents} would remain "
            f"({percent(left, total)})."
        )

    @property
    def parts(self) -> list[Part]:
        """All documents in parts."""
        return parts(self.report)

    def share(self, documents: int, total: int) -> str:
        """Return a share in percent; 0% and 100% only when it is just that."""
        return percent(documents, total)

    @property
    def size_ranges(self) -> list[SizeRange]:
        """Families by their sizes."""
        sizes = self.report.sizes
        return [] if sizes is None or not sizes.families else size_ranges(sizes.counts)

    @property
    def score_ranges(self) -> list[ScoreRange]:
        """Pairs of the sample by their scores."""
        sample = self.report.scores
        return score_ranges([(pair.kind, pair.score) for pair in sample.pairs]) if sample else []

    @property
    def closest(self) -> list[tuple[ClosePair, list[EvidenceBar]]]:
        """The pairs next to where versions begin, each with its evidence as a waterfall."""
        sample = self.report.scores
        return [(pair, evidence_bars(pair.log_odds)) for pair in sample.closest] if sample else []

    @property
    def copies(self) -> list[tuple[Copy, str | None]]:
        """Pairs with long passages, each with its longest; None if a pair above shows it."""
        report = self.report.copies
        shown: dict[str, int] = {}
        pairs: list[tuple[Copy, str | None]] = []
        for number, copy in enumerate(report.copies[:_MAX_PAIRS] if report else ()):
            text = copy.passages[0].b.text if copy.passages else ""
            passage = shortened(text, _MAX_PASSAGE)
            is_new = shown.setdefault(passage, number) == number
            pairs.append((copy, passage if is_new else None))
        return pairs

    @property
    def copies_line(self) -> str:
        """The numbers of documents compared for copied passages, and of pairs, as one line."""
        return sentences.counts_line(self.report.copies) if self.report.copies else ""

    def pair_line(self, copy: Copy) -> str:
        """Return who copied whom."""
        return sentences.pair_line(copy)

    def copy_line(self, copy: Copy) -> str:
        """Return how much two documents share."""
        return sentences.copy_line(copy)

    def passage_address(self, passage: Boilerplate) -> str | None:
        """Return the address of a document that has a passage."""
        return self.links.document(passage.id, DocumentContext())

    @property
    def left_out(self) -> list[str]:
        """Sentences about the documents that are not in the report, one for each reason."""
        copies = self.report.copies
        return _coverage_lines(self.report) + (sentences.left_out_lines(copies) if copies else [])


def report_html(report: IndexReport) -> str:
    """Return a report as one HTML page.

    Args:
        report: The report of an index.
    """
    return render_page("report.html", page=ReportPage(report))


def headline(report: IndexReport) -> str:
    """Return the main result of a report as one sentence without a full stop."""
    total, sizes = report.status.documents, report.sizes
    if not total:
        return "This index has no documents"
    documents = "This one document" if total == 1 else f"These {total:,} documents"
    if sizes is None:
        return f"{documents} have not been grouped into families yet"
    if not sizes.versions:
        if total == 1:
            return "The one document of this index has no other version"
        return f"None of these {_counted(report):,} documents is a version of another"
    share = percent(sizes.versions, _counted(report))
    return f"{share} of these {_counted(report):,} documents are versions of others"


def _counted(report: IndexReport) -> int:
    """Return the documents that shares are of: all, or those that were read in time."""
    assert report.sizes is not None
    return report.status.documents if report.sizes.is_complete else report.sizes.documents


def _coverage_lines(report: IndexReport) -> list[str]:
    status = report.status
    prints = status.fingerprints
    lines = [f"Index {each.index} is left out: it has {each.reason}." for each in status.left_out]
    if prints.none:
        lines.append(
            f"{counted(prints.none, 'document')} {plural(prints.none, 'has', 'have')} no "
            "fingerprints, so that no versions are known. Run "
            f"`es-simhash backfill {status.index}`."
        )
    if prints.another:
        lines.append(
            f"{counted(prints.another, 'document')} {plural(prints.another, 'has', 'have')} "
            "fingerprints of another scheme than "
            f"{prints.scheme}."
        )
    if status.failed:
        lines.append(f"The ingest pipeline rejected {counted(status.failed, 'document')}.")
    if status.empty:
        lines.append(
            f"{counted(status.empty, 'document')} {plural(status.empty, 'has', 'have')} no words."
        )
    grouped = status.in_families
    if grouped and (waiting := status.documents - prints.none - grouped) > 0:
        lines.append(
            f"{counted(waiting, 'document')} with fingerprints {plural(waiting, 'has', 'have')} no "
            "family yet. Run "
            f"`es-simhash families run {status.index}`."
        )
    if status.duplicates:
        duplicates = counted(status.duplicates, "document")
        lines.append(f"{duplicates} flagged as {plural(status.duplicates, 'duplicate')}.")
    return [*lines, *report.notes]
