"""Markdown tables, and their places in a page: <!-- table:NAME --> … <!-- end -->; figures likewise."""

import re

PLACE = re.compile(r"(<!-- ((?:table|figure):\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def markdown(header, rows, left=1):
    """The first `left` columns are texts, the others numbers."""
    lines = ["| " + " | ".join(header) + " |",
             "|" + "|".join("---" if column < left else "--:" for column in range(len(header))) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def nanoseconds(value):
    """Three significant figures, the precision of a measurement."""
    return "–" if value is None else three_figures(value)


def microseconds(value):
    return "–" if value is None else three_figures(value / 1e3)


def three_figures(value):
    if value >= 100:
        digits = len(str(round(value))) - 3
        return str(int(round(value / 10**digits)) * 10**digits)
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value):
    return "–" if value is None else f"{three_figures(value)} ×"


def power(value):
    return "–" if value is None else "0" if value == 0 else f"{value:.0e}".replace("e-0", "e-").replace("e+00", "e0")


def check_places(pages, names):
    """Every name, "table:NAME" or "figure:NAME", needs a place in one of the pages at least."""
    places = {match.group(2) for page in pages for match in PLACE.finditer(page)}
    missing = sorted(set(names) - places)
    if missing:
        raise ValueError("no place for " + ", ".join(missing))


def splice(page, contents):
    """The page with contents, {"table:NAME": text}, in their places; other places are unchanged, as on a
    machine without MuJoCo."""
    return PLACE.sub(lambda place: place[1] + contents.get(place[2], place[3]) + place[4], page)
