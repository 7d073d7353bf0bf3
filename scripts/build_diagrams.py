"""Write the pictures of docs/architecture.md: `python -m scripts.build_diagrams`.

They are plain SVG, so that they need no tool to be seen; the rooms are those that
tests/test_architecture.py checks.
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH = 1130
_FONT = "font-family='Helvetica, Arial, sans-serif'"
_COLOURS = {
    "pure": ("#eef6ee", "#3d7a3d"),
    "cluster": ("#e8f1fb", "#2b5f9e"),
    "verb": ("#fdf3e3", "#a5691a"),
    "face": ("#f5ecf7", "#7a3f8a"),
    "plain": ("#f6f6f6", "#666666"),
}


@dataclass(frozen=True)
class Box:
    """A box of a picture: place, size, title, what is in it, and its colour."""

    x: int
    y: int
    width: int
    height: int
    title: str
    lines: tuple[str, ...] = ()
    kind: str = "plain"

    def svg(self) -> str:
        """Return the box as SVG."""
        fill, stroke = _COLOURS[self.kind]
        parts = [
            f"<rect x='{self.x}' y='{self.y}' width='{self.width}' height='{self.height}' rx='6' "
            f"fill='{fill}' stroke='{stroke}'/>",
            _text(self.x + 10, self.y + 20, self.title, stroke, bold=True),
        ]
        parts += [
            _text(self.x + 10, self.y + 38 + 15 * row, line, "#333333")
            for row, line in enumerate(self.lines)
        ]
        return "\n".join(parts)


def _text(x: int, y: int, content: str, colour: str, *, bold: bool = False) -> str:
    weight = " font-weight='bold'" if bold else ""
    size = 13 if bold else 11
    return (
        f"<text x='{x}' y='{y}' {_FONT} font-size='{size}' fill='{colour}'{weight}>"
        f"{escape(content)}</text>"
    )


def arrow(x1: int, y1: int, x2: int, y2: int, label: str = "") -> str:
    """Return an arrow, with a label beside its middle."""
    line = (
        f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='#555555' stroke-width='1.4' "
        "marker-end='url(#head)'/>"
    )
    return line + (_text((x1 + x2) // 2 + 6, (y1 + y2) // 2 + 4, label, "#555555") if label else "")


def picture(name: str, title: str, height: int, parts: list[str]) -> None:
    """Write one picture."""
    head = (
        "<defs><marker id='head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        "markerHeight='7' orient='auto'><path d='M0,0 L8,4 L0,8 z' fill='#555555'/></marker></defs>"
    )
    body = "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' role='img' "
            f"width='{WIDTH}' height='{height}'>",
            f"<title>{escape(title)}</title>",
            head,
            f"<rect width='{WIDTH}' height='{height}' fill='#ffffff'/>",
            *parts,
            "</svg>",
        ]
    )
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.svg").write_text(body + "\n", "utf-8")


def rooms() -> None:
    """Draw the rooms, floor by floor: each imports only from those above it."""
    floors = [
        (
            "pure",
            "Pure: text in, numbers out",
            [
                ("text", ("limits, tokens,", "chunks, offsets")),
                ("fingerprints", ("schemes, simhash,", "blocks, shingles")),
                ("semantics", ("profiles: entities,", "concepts, vectors")),
                ("relation", ("kinds, thresholds,", "scores, evidence")),
                ("differences", ("changes, moves,", "history, blame")),
                ("pairs", ("links, families,", "copies: any partition")),
                ("pages", ("templates, charts",)),
            ],
        ),
        (
            "cluster",
            "The only room that knows an engine",
            [
                ("store", ("requests in, typed", "rows out; one protocol")),
                ("store/elasticsearch", ("calls, queries, hits,", "retries, errors")),
                ("store/installation", ("mapping, configuration,", "state index")),
                ("store/memory", ("the oracle: compares", "everything")),
            ],
        ),
        (
            "verb",
            "Steps over the store",
            [
                ("questions", ("related, explain, family,", "changes, blame")),
                ("ingestion", ("runs, decisions,", "audit log, undo")),
                ("maintenance", ("backfill, families, copies,", "sweep, doctor, report")),
                ("lab", ("methods, evaluation,", "tuning; optional")),
            ],
        ),
        (
            "face",
            "Faces: nothing imports them",
            [
                ("Index, AsyncIndex", ("drive the same steps,", "waiting or not")),
                ("integrations", ("LangChain, LlamaIndex,", "Haystack")),
                ("spark", ("bulk work on", "DataFrames")),
                ("service", ("the HTTP API,", "explorer")),
                ("cli", ("one file", "a command")),
            ],
        ),
    ]
    parts: list[str] = []
    y = 10
    for kind, heading, boxes in floors:
        parts.append(_text(12, y + 14, heading, _COLOURS[kind][1], bold=True))
        width = (WIDTH - 20) // max(len(boxes), 6)
        for column, (title, lines) in enumerate(boxes):
            parts.append(Box(12 + column * width, y + 24, width - 10, 76, title, lines, kind).svg())
        y += 122
        if kind != "face":
            parts.append(arrow(WIDTH - 60, y - 4, WIDTH - 60, y - 20, "imports"))
    parts.append(
        Box(
            int(WIDTH * 0.68), 378 + 24, int(WIDTH * 0.3), 76, "beside the package",
            ("mappings/  mappings and settings",
             "ingest/  the ingest pipeline"), "plain",
        ).svg()
    )  # fmt: skip
    picture("rooms", "The rooms of the package and who may import whom", y + 4, parts)


def document() -> None:
    """Draw the life of a document: from a line of a file to an indexed document."""
    steps = [
        Box(12, 20, 200, 92, "ingestion/bulk", ("files, folders, stdin, dicts", "cut into batches of bytes;", "journal: how far each is read"), "verb"),
        Box(252, 20, 200, 92, "ingestion/bulk", ("one line of JSON:", "id, text, bytes;", "rejected: dead-letter file"), "verb"),
        Box(492, 20, 200, 92, "store/encoding", ("the simhash object", "of each text of a batch", "as JSON"), "cluster"),
        Box(732, 20, 196, 92, "ingestion/bulk", ("actions of a bulk request;", "unchanged documents", "are left out"), "verb"),
        Box(352, 162, 200, 108, "fingerprints", ("tokens -> word pairs,", "4-grams of chunks,", "shingles by winnowing", "-> simhash, blocks"), "pure"),
        Box(582, 162, 200, 108, "semantics/profiler", ("words, phrases, entities", "-> weighted concepts,", "entities, vector", "and its fingerprint"), "pure"),
        Box(732, 320, 196, 92, "ingestion/bulk", ("batches in order of ids;", "waits while the cluster", "is busy"), "verb"),
        Box(492, 320, 200, 92, "ingestion/deduplication", ("with --on-version:", "skip, flag, link, replace;", "audit log, reservations"), "verb"),
        Box(252, 320, 200, 92, "store/elasticsearch", ("bulk; only rejected", "actions are retried;", "a 413 is divided"), "cluster"),
        Box(12, 320, 200, 92, "the user's index", ("the document, unchanged,", "and its simhash object"), "plain"),
    ]  # fmt: skip
    arrows = [
        arrow(212, 66, 250, 66), arrow(452, 66, 490, 66), arrow(692, 66, 730, 66),
        arrow(550, 112, 470, 160), arrow(640, 112, 680, 160), arrow(850, 112, 850, 318),
        arrow(732, 366, 694, 366), arrow(492, 366, 454, 366), arrow(252, 366, 214, 366),
    ]  # fmt: skip
    picture("document", "The life of a document", 430, [*arrows, *(box.svg() for box in steps)])


def question() -> None:
    """Draw the life of a question: from a text or an id to relations with evidence."""
    steps = [
        Box(12, 20, 210, 92, "Index, AsyncIndex", ("related(id=, text=, options=)", "drive the steps against", "a store"), "face"),
        Box(252, 20, 210, 92, "questions/index_steps", ("a generator that yields", "requests and is sent rows;", "knows no client"), "verb"),
        Box(12, 170, 210, 108, "1  questions/question_texts", ("texts analysed: fingerprints", "and profile, each computed", "when first needed,", "batches together"), "verb"),
        Box(242, 170, 210, 108, "2  store/intents", ("FindSimilar, FindNear,", "FindSharedWords,", "FindManualPairs:", "asked together"), "cluster"),
        Box(472, 170, 210, 108, "store/elasticsearch", ("one multi-search;", "a shard that fails", "fails the search;", "hits become rows"), "cluster"),
        Box(702, 170, 226, 108, "3  questions/ranking", ("candidates, each once;", "cut when a limit cut;", "what joined pairs add"), "verb"),
        Box(702, 330, 226, 108, "relation/scoring", ("shared shingles and chunk", "distances -> score, kind,", "coverage; thresholds in", "relation/thresholds"), "pure"),
        Box(472, 330, 210, 108, "questions/ranking", ("a version is not shown", "again as a neighbour;", "copies collapse;", "best first"), "verb"),
        Box(242, 330, 210, 108, "4  questions/ranked_hits", ("texts of the hits fetched;", "passages aligned,", "shared concepts"), "verb"),
        Box(12, 330, 210, 108, "Answer", ("relations: id, kind, score,", "coverage, evidence;", "truncated"), "plain"),
    ]  # fmt: skip
    arrows = [
        arrow(222, 66, 250, 66), arrow(300, 112, 160, 168), arrow(222, 224, 240, 224),
        arrow(452, 224, 470, 224), arrow(682, 224, 700, 224), arrow(815, 278, 815, 328),
        arrow(702, 384, 684, 384), arrow(472, 384, 454, 384), arrow(242, 384, 224, 384),
    ]  # fmt: skip
    picture("question", "The life of a question", 456, [*arrows, *(box.svg() for box in steps)])


def main() -> None:
    """Write all pictures."""
    rooms()
    document()
    question()


if __name__ == "__main__":
    main()
