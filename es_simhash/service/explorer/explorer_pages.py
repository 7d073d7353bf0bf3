"""The explorer's pages: what a request shows, and errors as pages."""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from es_simhash.differences.rendering.comparison_page import ComparisonPage
from es_simhash.questions.family_members import MAX_MEMBERS
from es_simhash.service.callers import Caller, explorer_caller
from es_simhash.service.dispatcher import Value
from es_simhash.service.endpoints import Endpoint, Endpoints, while_connected
from es_simhash.service.explorer.addresses import ROOT, Addresses
from es_simhash.service.explorer.counted_pages import CountedPages
from es_simhash.service.explorer.explorer_reader import ExplorerReader
from es_simhash.service.explorer.label_access import LabelFileAccess
from es_simhash.service.explorer.label_pages import PATH, LabelPages
from es_simhash.service.explorer.page_contents import ChosenMatches, ListPage
from es_simhash.service.explorer.page_parameters import (
    own_address,
    page_options,
    search_words,
    way_back,
)
from es_simhash.service.explorer.rendering import PageWriter, static_files
from es_simhash.service.explorer.words import language_of, read_in
from es_simhash.service.monitoring import log
from es_simhash.service.operations import HEAVY, MemberPage, Question
from es_simhash.service.request_parameters import path_ids
from es_simhash.service.responses import TITLES, Body, Problem, conditional
from es_simhash.store.options import SearchOptions

Show = Callable[[Request, Caller], Awaitable[Response]]
_RELATED = 10
# What the widget on a page asks for, and the operation that answers.
_ASKED_BY_WIDGET = {
    "v1/related/": "/v1/related/{id}",
    "v1/evidence/": "/v1/evidence/{a}/{b}",
}


@dataclass(frozen=True)
class Explorer:
    """Answers requests for the explorer's pages.

    Attributes:
        endpoints: Endpoints of the API, which identify the caller and answer questions.
        reader: Reads the index.
    """

    endpoints: Endpoints
    reader: ExplorerReader
    _files: Mapping[str, tuple[str, Body]] = field(default_factory=static_files)

    @cached_property
    def _writer(self) -> PageWriter:
        return PageWriter(self.reader.index, self.endpoints.config.labels is not None)

    @cached_property
    def _labelling(self) -> LabelPages:
        path = self.endpoints.config.labels
        files = None
        if path is not None:
            from es_simhash.lab.evaluation.label_file import SharedLabels

            files = LabelFileAccess(
                self.endpoints.dispatcher, self.reader.contexts, SharedLabels(path)
            )
        return LabelPages(self.endpoints, self.reader, files, self._writer)

    @cached_property
    def _counted(self) -> CountedPages:
        return CountedPages(self.endpoints.dispatcher, self.reader, self._writer)

    def routes(self) -> list[Route]:
        """Return the addresses."""
        pages = {
            "": self.home,
            "overview": self._counted.overview,
            "pairs": self._counted.pairs,
            "ungrouped": self.ungrouped,
            "families/": self._counted.families,
            "families/{id:ids}": self.family,
            "documents/{id:ids}": self.document,
            "compare/{ids:ids}": self.compare,
        }
        named = self.endpoints.named
        return [
            Route("/", self._to_explorer),
            Route(ROOT.rstrip("/"), self._to_explorer),
            *(
                Route(f"{ROOT}static/{name}", named(f"{ROOT}static", partial(self._static, name)))
                for name in self._files
            ),
            *(
                Route(f"{ROOT}{path}{{ids:ids}}", named(f"{ROOT}{path}", self._asked(path)))
                for path in _ASKED_BY_WIDGET
            ),
            *(
                Route(f"{ROOT}{path}", named(f"{ROOT}{path}", self._page(show)))
                for path, show in pages.items()
            ),
            Route(
                f"{ROOT}{PATH}",
                named(f"{ROOT}{PATH}", self._page(self._labelling.label)),
                methods=["GET", "POST"],
            ),
            Route(f"{ROOT}{{rest:path}}", named(f"{ROOT}{{rest}}", self._page(self._missing))),
        ]

    def close(self) -> None:
        """End what runs in the background."""
        self._counted.close()
        self._labelling.close()

    def problem_page(self, request: Request, problem: Problem) -> Response:
        """Return the page of an error."""
        is_known = problem.status != 401
        return self._writer.page(
            "error.html",
            code=problem.status,
            headers={**problem.headers, "Cache-Control": "no-store"},
            index=self.reader.index if is_known else None,
            title=TITLES.get(problem.status, "Error"),
            detail=problem.detail,
            status=problem.status,
            is_label=is_known and request.url.path == f"{ROOT}{PATH}",
        )

    def _asked(self, path: str) -> Endpoint:
        """Return an endpoint that answers the widget, as the API does."""

        async def answer(request: Request) -> Response:
            caller = self.endpoints.caller(request, explorer_caller)
            operation = self.endpoints.operations[_ASKED_BY_WIDGET[path]]
            return await self.endpoints.answer(operation, request, caller, f"{ROOT}{path}")

        return answer

    async def home(self, request: Request, caller: Caller) -> Response:
        """Show the search box, and what a query finds."""
        words = search_words(request.query_params)
        chosen = page_options(ChosenMatches, request.query_params)
        if not words or not await self._run(self.reader.can_search):
            return self._writer.page("home.html", **await self._counted.glance(caller))
        results = await self._run(lambda: self.reader.search(words, chosen, caller.filters))
        return self._writer.page(
            "results.html", back=own_address(request.url), words=words, chosen=chosen,
            results=results,
        )  # fmt: skip

    async def document(self, request: Request, caller: Caller) -> Response:
        """Show a document, and what is related to it."""
        (id,) = path_ids(request.scope["raw_path"], f"{ROOT}documents/", 1)
        document = await self._run(lambda: self.reader.document(id, caller.filters))
        relations, unrelated = await self._relations(id, caller)
        family = None
        if document["document"]["family"] is not None:
            name = document["document"]["family"]
            size = await self._run(lambda: self.reader.family_size(name, caller.filters))
            family = {"name": name, "documents": size}
        return self._writer.page(
            "document.html", back=way_back(request.query_params), id=id, document=document,
            relations=relations, unrelated=unrelated, family=family,
        )  # fmt: skip

    async def family(self, request: Request, caller: Caller) -> Response:
        """Show the members of a family by their dates."""
        (name,) = path_ids(request.scope["raw_path"], f"{ROOT}families/", 1)
        operation = self.endpoints.operations["/v1/families/{id}"]
        question = Question(caller.filters, (name,), members=MemberPage(size=MAX_MEMBERS))
        family = await self._run(lambda: operation.answer(question).plain)
        return self._writer.page("family.html", back=way_back(request.query_params), family=family)

    async def compare(self, request: Request, caller: Caller) -> Response:
        """Show two documents side by side."""
        a, b = path_ids(request.scope["raw_path"], f"{ROOT}compare/", 2)
        self.endpoints.charge(caller, HEAVY - 1)
        compared = await while_connected(
            request,
            self.endpoints.dispatcher.run(
                lambda: self.reader.compare(a, b, caller.filters), is_heavy=True
            ),
        )
        names = compared.a["title"] or a, compared.b["title"] or b
        comparison, back = None, way_back(request.query_params)
        if compared.changes is not None:
            comparison = ComparisonPage(
                compared.changes,
                *names,
                compared.relation,
                compared.timeline,
                Addresses(back).compare,
            )
        return await self._run(
            lambda: self._writer.page(
                "compare.html", back=back, a=a, b=b, names=names, relation=compared.relation,
                comparison=comparison,
            )
        )  # fmt: skip

    async def ungrouped(self, request: Request, caller: Caller) -> Response:
        """Show the documents without a family."""
        page = page_options(ListPage, request.query_params).page
        results = await self._run(lambda: self.reader.ungrouped(page, caller.filters))
        return self._writer.page(
            "ungrouped.html", back=own_address(request.url), page=page, results=results
        )

    async def _missing(self, request: Request, caller: Caller) -> Response:
        raise Problem(404, "There is nothing at this address.")

    async def _to_explorer(self, request: Request) -> Response:
        return RedirectResponse(ROOT, 307)

    async def _static(self, name: str, request: Request) -> Response:
        media_type, body = self._files[name]
        return conditional(request, body, media_type, "public, no-cache", {})

    def _page(self, show: Show) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            with read_in(language_of(request.headers.get("accept-language", ""))):
                try:
                    return await show(request, self.endpoints.caller(request, explorer_caller))
                except Problem as problem:
                    return self.problem_page(request, problem)
                except Exception:
                    log(logging.ERROR, "failed", error=True)
                    failure = Problem(500, "Something failed here; it was logged.")
                    return self.problem_page(request, failure)

        return answer

    async def _run(self, work: Callable[[], Value]) -> Value:
        return await self.endpoints.dispatcher.run(work)

    async def _relations(self, id: str, caller: Caller) -> tuple[list[dict[str, Any]], str]:
        """Return the relations of a document, or why there are none."""
        search = SearchOptions(size=min(_RELATED, self.endpoints.config.limits.size))
        question = Question(caller.filters, (id,), search)
        operation = self.endpoints.operations["/v1/related/{id}"]
        try:
            answered = await self.endpoints.dispatcher.answer(operation, question)
        except Problem as problem:
            if problem.status != 422:
                raise
            return [], problem.detail
        relations: list[dict[str, Any]] = json.loads(answered.body.content)["relations"]
        return relations, ""


def is_explorer_page(request: Request) -> bool:
    """Check whether a person asked, rather than the widget on one of the pages."""
    path = request.url.path
    return path.startswith(ROOT) and not path.startswith((f"{ROOT}v1/", f"{ROOT}static/"))
