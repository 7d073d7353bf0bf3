"""Two texts of forty lines, the newer one with a line changed, one removed and one added."""

LINES = [f"Line {number} of the text, which has something to say." for number in range(1, 41)]


def edited() -> list[str]:
    lines = list(LINES)
    lines[4] = "Another line."
    del lines[20]
    lines.insert(30, "One more line.")
    return lines
