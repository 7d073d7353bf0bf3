"""JSON arrays of objects, and objects that go over several lines, however large the file."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from es_simhash.errors import InputError
from es_simhash.ingestion.sources.lines_of_file import LONGEST_LINE, too_long
from es_simhash.ingestion.sources.source_format import HEAD_BYTES, Record, SourceFile

_READ_BYTES = 1 << 18
_BETWEEN = re.compile(r"[\s,]*")
# A string that has no end is one as well, so that no bracket in it counts.
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]', re.DOTALL)
# What an unfinished value can end with; an error further from the end is none of the end.
_TAIL = 16


class JsonArrayFormat:
    """An array of JSON objects, or objects one after the other."""

    name = "json"
    suffixes: tuple[str, ...] = (".json",)

    def recognises(self, head: bytes) -> bool:
        """Check for an array, or an object whose first line is not all of it."""
        head = head.removeprefix(codecs.BOM_UTF8).lstrip()
        if head.startswith(b"["):
            return True
        line, end, _ = head.partition(b"\n")
        if not head.startswith(b"{") or not end or len(line) >= HEAD_BYTES:
            return False
        return line.strip() == b"{"

    def records(self, file: SourceFile) -> Iterator[Record]:
        """Yield the bytes of each element.

        Raises:
            InputError: What follows cannot be found in what is malformed.
        """
        with file.open() as stream:
            yield from _Values(stream).records()


class _Values:
    """The values of a stream of JSON, one at a time.

    Args:
        stream: The bytes.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
        self._json = json.JSONDecoder(parse_int=float)
        self._text = ""
        self._at = 0
        self._line = 1
        self._is_ended = False

    def records(self) -> Iterator[Record]:
        is_array = self._opens_array()
        while True:
            self._skip(_BETWEEN)
            if self._at >= len(self._text):
                if is_array:
                    raise InputError("The array is not closed: the file may be cut off.")
                return
            if is_array and self._text[self._at] == "]":
                self._advance(self._at + 1)
                # Files with an array each may have been put together.
                is_array = self._opens_array()
            else:
                yield self._value()

    def _opens_array(self) -> bool:
        """Go on inside of an array, if one begins."""
        self._skip(_BETWEEN)
        is_array = self._text.startswith("[", self._at)
        if is_array:
            self._advance(self._at + 1)
        return is_array

    def _value(self) -> Record:
        line = self._line
        while True:
            try:
                _, end = self._json.raw_decode(self._text, self._at)
                # A number may go on in what was not read yet.
                if end < len(self._text) or not self._more():
                    return Record(line, self._taken(end))
            except json.JSONDecodeError as error:
                is_open = error.msg.startswith("Unterminated string")
                if (is_open or error.pos >= len(self._text) - _TAIL) and self._more():
                    continue
                return self._malformed(line, f"Malformed JSON: {error.msg}. Repair the object.")
            except RecursionError:
                return self._malformed(line, "The JSON is nested too deeply. Flatten it.")

    def _malformed(self, line: int, reason: str) -> Record:
        """Go on behind a malformed object, where its brackets end."""
        while True:
            depth = 0
            for token in _TOKENS.finditer(self._text, self._at):
                depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
                if depth <= 0 and token[0] in ("}", "]"):
                    # The bracket that closes the array is not of the object; one where the object
                    # should begin is all that there is of it.
                    is_its = depth == 0 or token.start() == self._at
                    end = token.end() if is_its else token.start()
                    return Record(line, self._taken(end), reason)
            if not self._more():
                raise InputError(f"From line {line} on: {reason}")

    def _taken(self, end: int) -> bytes:
        value = self._text[self._at : end]
        self._advance(end)
        # One line: a dead letter is one as well.
        return re.sub(r"[\r\n]+", " ", value).encode("utf-8", "surrogateescape")

    def _skip(self, pattern: "re.Pattern[str]") -> None:
        while True:
            match = pattern.match(self._text, self._at)
            assert match is not None  # the pattern matches nothing as well
            self._advance(match.end())
            if self._at < len(self._text) or not self._more():
                return

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self) -> bool:
        """Read on, and return whether there was more."""
        if self._is_ended:
            return False
        if len(self._text) - self._at > LONGEST_LINE:
            raise InputError(
                f"From line {self._line} on: {too_long(len(self._text) - self._at, 'object')}"
            )
        # Twice as much where a value is long, so that it is not parsed too often.
        data = self._stream.read(max(_READ_BYTES, len(self._text) - self._at))
        self._is_ended = not data
        self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        self._at = 0
        return bool(data)
