"""What a report says in words: the headline, and the parts of all documents."""

from es_simhash.maintenance.reports.charts import Part
from es_simhash.maintenance.reports.model import IndexReport, ScoreSample


def percent(part: int, whole: int) -> str:
    """Return a share in percent; 0% and 100% only when it is just that."""
    if not whole:
        return "0%"
    rounded = round(100 * part / whole)
    if part and not rounded:
        return "less than 1%"
    if part < whole and rounded == 100:
        return "more than 99%"
    return f"{rounded}%"


def headline(report: IndexReport) -> str:
    """Return what a report says, as one sentence without a full stop."""
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


def lead(report: IndexReport) -> str:
    """Return what follows from it, in a sentence or two."""
    sizes = report.sizes
    if not report.status.documents:
        return "Nothing was counted."
    if sizes is None:
        return (
            "Their fingerprints are there. Which of them are versions is known after "
            f"`es-simhash families {report.status.index}`."
        )
    if not sizes.versions:
        return "Each of them is the only one of its family."
    total = _counted(report)
    left = total - sizes.versions + sizes.families
    families = "1 family" if sizes.families == 1 else f"{sizes.families:,} families"
    return (
        f"They form {families}. With one document of each, {left:,} documents would remain "
        f"({percent(left, total)})."
    )


def parts(report: IndexReport) -> list[Part]:
    """Return all documents of an index, or those that were read in time, in parts."""
    sizes, exact = report.sizes, report.exact
    if sizes is None:
        return []
    further = sizes.versions - sizes.families
    # Of a sample, the same share of all is taken.
    copies = round(exact.copies * sizes.versions / exact.examined) if exact else 0
    copies = min(copies, further)
    about = "the same text as another of the family, but for case and spaces"
    if exact is not None and exact.examined < sizes.versions:
        about += "; estimated from a sample"
    found = [
        Part("unique", "Unique", "no other document is a version of them", sizes.unique),
        Part("first", "One of each family", "one document for each text that has versions",
             sizes.families),
        Part("version", "Further versions", "revised, extended, excerpted", further - copies),
        Part("copy", "Copies", about, copies),
    ]  # fmt: skip
    if sizes.is_complete:
        rest = max(0, report.status.documents - sizes.documents)
        found.append(Part("none", "Not grouped", "without fingerprints, or new", rest))
    return [part for part in found if part.documents or part.style in ("unique", "version")]


def sample_line(sample: ScoreSample) -> str:
    """Return what the distribution of scores was computed from."""
    documents = "1 document" if sample.documents == 1 else f"{sample.documents:,} documents"
    return (
        f"Of {documents}, drawn at random by a fixed seed, {sample.related:,} "
        f"({percent(sample.related, sample.documents)}) are related to another, in "
        f"{len(sample.pairs):,} pairs: of each document the 20 relations with the highest scores."
    )


def coverage_lines(report: IndexReport) -> list[str]:
    """Return what of the index is not in the report, a sentence for each reason."""
    status = report.status
    prints = status.fingerprints
    lines = []
    if prints.none:
        lines.append(
            f"{prints.none:,} documents have no fingerprints, and nothing is known of their "
            f"versions. Run `es-simhash backfill {status.index}`."
        )
    if prints.another:
        lines.append(
            f"{prints.another:,} documents have fingerprints of another scheme than "
            f"{prints.scheme}."
        )
    if status.failed:
        lines.append(f"{status.failed:,} documents were rejected by the ingest pipeline.")
    if status.empty:
        lines.append(f"{status.empty:,} documents have no words.")
    grouped = status.in_families
    if grouped and (waiting := status.documents - prints.none - grouped) > 0:
        lines.append(
            f"{waiting:,} documents with fingerprints have no family yet. Run "
            f"`es-simhash families {status.index}`."
        )
    if status.duplicates:
        lines.append(f"{status.duplicates:,} documents are flagged as duplicates.")
    return [*lines, *report.notes]
