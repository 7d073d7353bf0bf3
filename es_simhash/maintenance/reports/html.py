"""A report as one HTML file to mail: no script, nothing loaded from elsewhere."""

from itertools import chain

from es_simhash.maintenance.reports.links import MailedLinks
from es_simhash.maintenance.reports.model import IndexReport
from es_simhash.maintenance.reports.passages import copies_sections
from es_simhash.maintenance.reports.sections import footer, heading, sections
from es_simhash.maintenance.reports.sentences import headline
from es_simhash.text.html import html_page


def report_html(report: IndexReport) -> str:
    """Return a report as one HTML page.

    Args:
        report: Of an index.
    """
    links = MailedLinks()
    body = chain(
        ["<header>", *heading(report), "</header>", "<main>"],
        sections(report, links),
        copies_sections(report.copies, links),
        ["</main>", "<footer>", *footer(report), "</footer>"],
    )
    return html_page(f"{headline(report)} – {report.status.index}", body, style="report.css")
