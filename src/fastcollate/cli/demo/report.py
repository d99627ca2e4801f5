"""The report: one HTML file with tables, charts and a few of the images, which needs nothing else to be read."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

import numpy as np

from .charts import svg
from .data import Pixels
from .results import Chart, Section, Table

SHOWN = 12
LEGEND = {
    "ours": "fastcollate",
    "peer": "the others",
    "limit": "for scale: NumPy only copying or writing the bytes; chance",
}


def page(sections: Iterable[Section], facts: Mapping[str, str], images: Pixels, made: str) -> str:
    """Return the whole page.

    Parameters
    ----------
    sections : iterable of Section
        In the order of the page.
    facts : mapping of str to str
        About machine and versions.
    images : uint8 array of shape (N, rows, columns, 3)
        A few of them are shown.
    made : str
        When, and by which command.
    """
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    legend = "".join(f'<li><i style="background:var(--{role})"></i>{text}</li>' for role, text in LEGEND.items())
    body = "\n".join(render(section) for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>fastcollate demo</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1>fastcollate: samples into batches</h1>
<p class="quiet">{escape(made)}</p>
<dl class="facts">{listed}</dl>
<img class="patches" alt="{SHOWN} of the image patches, upright" src="data:image/png;base64,{picture(images)}">
<p class="quiet">{SHOWN} of the {len(images):,} patches, read back from the file: 96x96 pixels out of the two
photographs that scikit-learn carries, stored as STL-10's binary files are (planes, column by column).</p>
<ul class="legend">{legend}</ul>
</header>
<main>
{body}
</main>
</body>
</html>
"""


def render(section: Section) -> str:
    """Return one part of the page."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in section.notes)
    left_out = "".join(f"<li>Left out: {escape(reason)}</li>" for reason in section.left_out)
    parts = [
        f'<section id="part-{escape(section.key)}">',
        f"<h2>{escape(section.key)}. {escape(section.title)}</h2>",
        f"<p>{escape(section.intro)}</p>",
        f'<ul class="notes">{notes}{left_out}</ul>' if notes or left_out else "",
        *map(html_table, section.tables),
        *(figures(f"{section.key}{family}", charts) for family, charts in families(section.charts)),
        "</section>",
    ]
    return "\n".join(filter(None, parts))


def html_table(table: Table) -> str:
    """Return a table that scrolls by itself where it is wider than the page."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    rows = []
    for row in table.rows:
        if row.kind == "group":
            cells = f'<th scope="rowgroup" colspan="{len(table.head)}">{escape(row.cells[0])}</th>'
        else:
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row.cells)
        rows.append(f'<tr class="{row.kind}">{cells}</tr>')
    caption = f'<p class="quiet">{escape(table.caption)}</p>' if table.caption else ""
    return (
        f'<div class="wide"><table><caption>{escape(table.title)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>\n{caption}"
    )


def families(charts: Sequence[Chart]) -> list[tuple[str, list[Chart]]]:
    """Return neighbours of one family together."""
    return [(family, list(group)) for family, group in groupby(charts, key=lambda chart: chart.family)]


def figures(name: str, charts: Sequence[Chart]) -> str:
    """Return charts side by side where there is room."""
    drawn = "\n".join(
        f'<figure><figcaption><h3>{escape(chart.title)}</h3><p class="quiet">{escape(chart.says)}</p></figcaption>'
        f"{svg(chart, f'{name}{number}')}</figure>"
        for number, chart in enumerate(charts)
    )
    return f'<div class="charts">\n{drawn}\n</div>' if drawn else ""


def picture(images: Pixels) -> str:
    """Return patches from all over the set side by side, two rows of them, as a PNG file in base64."""
    from PIL import Image

    chosen = images[np.linspace(0, len(images) - 1, SHOWN).astype(int)]
    rows, columns, channels = chosen.shape[1:]
    half = SHOWN // 2
    grid = chosen.reshape(2, half, rows, columns, channels).transpose(0, 2, 1, 3, 4)
    stream = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(grid.reshape(2 * rows, half * columns, channels))).save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode("ascii")
