"""Parameters of the explorer's pages: in their addresses, and in forms that change something."""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar
from urllib.parse import parse_qsl, quote, unquote

from starlette.datastructures import URL

from es_simhash.constraints import constraints
from es_simhash.described import parameters
from es_simhash.service.callers import Caller
from es_simhash.service.explorer.addresses import ROOT, list_title
from es_simhash.service.explorer.page_contents import ListPage
from es_simhash.service.parameter_values import parameter_value
from es_simhash.service.responses import Problem

MAX_QUERY = 500
# A query of that many characters of three bytes each, escaped, and the rest.
_MAX_BACK = 9 * MAX_QUERY + 2_000
_MAX_SIZE = 999_999_999
# Each has a sample of its own, which takes seconds.
MAX_SEED = 1_000


def way_back(given: Mapping[str, str]) -> str | None:
    """Return the list of the explorer that the reader came from; None without one."""
    return _list_address(given.get("back", ""))


def own_address(url: URL) -> str | None:
    """Return the address of a list, to which pages that it leads to lead back."""
    return _list_address(f"{url.path}?{url.query}" if url.query else url.path)


def _list_address(back: str) -> str | None:
    """Return the address of a list of the explorer as it is; None for any other."""
    is_own = back.startswith(ROOT) and len(back) <= _MAX_BACK and back.isascii()
    return back if is_own and list_title(back) is not None else None


def search_words(given: Mapping[str, str]) -> str:
    """Return the query, without white space around it.

    Raises:
        Problem: 400, when it is too long.
    """
    words = " ".join(given.get("q", "").split())
    if len(words) > MAX_QUERY:
        raise Problem(400, f"A query may have at most {MAX_QUERY} characters.")
    return words


@dataclass(frozen=True)
class ChosenSizes(ListPage):
    """Sizes of the families in a list.

    Attributes:
        low: The least.
        high: The greatest; None for any.
    """

    low: int = field(default=2, metadata=constraints(1, _MAX_SIZE, called="from"))
    high: int | None = field(default=None, metadata=constraints(1, _MAX_SIZE, called="to"))


@dataclass(frozen=True)
class ChosenScores(ListPage):
    """Scores of the pairs in a list.

    Attributes:
        low: The least.
        high: The greatest.
    """

    low: float = field(default=0.0, metadata=constraints(0, 1, called="from"))
    high: float = field(default=1.0, metadata=constraints(0, 1, called="to"))


@dataclass(frozen=True)
class PairPlace:
    """A place among the pairs to label.

    Attributes:
        start: The place at which to go on.
        seed: Seed of the sample of pairs.
    """

    start: int = field(default=0, metadata=constraints(0, _MAX_SIZE, called="from"))
    seed: int = field(default=1, metadata=constraints(1, MAX_SEED))


Chosen = TypeVar("Chosen")


def page_options(options: type[Chosen], given: Mapping[str, str]) -> Chosen:
    """Return what an address or a form chooses; other parameters are left to others.

    Raises:
        Problem: 400, for a value that is out of bounds.
    """
    chosen = {
        name: parameter_value(parameter.called, given[parameter.called], parameter)
        for name, parameter in parameters(options).items()
        if parameter.called in given
    }
    return options(**chosen)


# Two ids of 512 bytes, escaped twice, and the rest.
MAX_FORM_BYTES = 16_384
_TYPE = "application/x-www-form-urlencoded"


def require_own_page(headers: Mapping[str, str]) -> None:
    """Check that a request comes from a page of this service.

    A browser says so in `Sec-Fetch-Site`, over HTTPS and on this machine, and in `Origin`.

    Raises:
        Problem: 403, when it comes from another site, or says nothing.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        is_own = site == "same-origin"
    else:
        origin = headers.get("origin", "").lower().partition("://")[2]
        is_own = bool(origin) and origin == headers.get("host", "").lower()
    if not is_own:
        raise Problem(403, "The form was not sent by a page of this service.")


def form_fields(headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    """Return the fields of a form.

    Raises:
        Problem: 400 or 415, when the body is none.
    """
    if headers.get("content-type", "").partition(";")[0].strip().lower() != _TYPE:
        raise Problem(415, f"The body must be {_TYPE}.")
    try:
        pairs = parse_qsl(body.decode("ascii"), True, True, errors="strict", max_num_fields=20)
    except ValueError:
        raise Problem(400, "The body is not a form.") from None
    if len(dict(pairs)) != len(pairs):
        raise Problem(400, "A field of the form is given twice.")
    return dict(pairs)


def pair_field(pair: tuple[str, str]) -> str:
    """Return two ids as the value of a field, in which a browser changes nothing."""
    return "/".join(quote(id, safe="") for id in pair)


@dataclass(frozen=True)
class FormSeal:
    """Signs what a form is about, so that a caller can send what a page offered them alone.

    Attributes:
        secret: The key; all workers have the same.
        index: Name of the index.
    """

    secret: bytes
    index: str

    def token(self, caller: Caller, pair: tuple[str, str]) -> str:
        """Return the signature of a pair for a caller."""
        parts = [self.index, caller.name, caller.account, caller.filters, pair]
        content = json.dumps(parts, sort_keys=True).encode()
        return hmac.new(self.secret, content, sha256).hexdigest()

    def pair(self, form: Mapping[str, str], caller: Caller) -> tuple[str, str]:
        """Return the pair of a form.

        Raises:
            Problem: 403, when the signature is not that of this pair and this caller, as after the
                service was started again.
        """
        ids = tuple(map(unquote, form.get("pair", "").split("/")))
        token = form.get("token", "").encode()
        if len(ids) == 2 and hmac.compare_digest(token, self.token(caller, ids).encode()):
            return ids
        raise Problem(403, "The form has expired. Nothing was written; open the page again.")
