"""Parameters of the explorer's pages: in their addresses, and in forms that change something."""

import hmac
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import parse_qsl, quote, unquote

from es_simhash.service.callers import Caller
from es_simhash.service.request_parameters import whole
from es_simhash.service.responses import Problem

# Entries of one page of a list, and pages of a list that can be opened.
PAGE, MAX_PAGES = 20, 50
MAX_QUERY = 500
_MAX_SIZE = 999_999_999
# Each has a sample of its own, which takes seconds.
MAX_SEED = 1_000


def search_words(given: Mapping[str, str]) -> str:
    """Return the query, without white space around it.

    Raises:
        Problem: 400, when it is too long.
    """
    words = " ".join(given.get("q", "").split())
    if len(words) > MAX_QUERY:
        raise Problem(400, f"A query may have at most {MAX_QUERY} characters.")
    return words


def page_number(given: Mapping[str, str]) -> int:
    """Return the number of the page, from 1.

    Raises:
        Problem: 400, when it is none, or beyond the last that can be opened.
    """
    return _whole(given, "page", MAX_PAGES, 1)


def size_range(given: Mapping[str, str]) -> tuple[int, int | None]:
    """Return the least and the greatest size of families; None for any.

    Raises:
        Problem: 400, when one is no number.
    """
    low = _whole(given, "from", _MAX_SIZE, 2)
    return low, _whole(given, "to", _MAX_SIZE, 0) or None


def score_range(given: Mapping[str, str]) -> tuple[float, float]:
    """Return the least and the greatest score.

    Raises:
        Problem: 400, when one is not from 0 to 1.
    """
    return _score(given, "from", 0.0), _score(given, "to", 1.0)


def pair_place(given: Mapping[str, str]) -> int:
    """Return the place among the pairs to label at which to go on, from 0.

    Raises:
        Problem: 400, when it is no number.
    """
    return whole("from", given.get("from", "0"), 0, _MAX_SIZE)


def sample_seed(given: Mapping[str, str]) -> int:
    """Return the seed of the sample of pairs to label.

    Raises:
        Problem: 400, when it is no number.
    """
    return _whole(given, "seed", MAX_SEED, 1)


def _whole(given: Mapping[str, str], name: str, high: int, default: int) -> int:
    value = given.get(name)
    return default if value is None else whole(name, value, 1, high)


def _score(given: Mapping[str, str], name: str, default: float) -> float:
    try:
        value = float(given.get(name, default))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise Problem(400, f"{name} must be a number from 0 to 1.")
    return value


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
