"""Bars as inline SVG, drawn by Matplotlib once for light and dark.

Matplotlib draws in colours that stand for roles; in the SVG each becomes a CSS variable, which the page sets for the
reader's scheme. Text stays text. The drawing is as wide as a phone, so that its letters are as large as the page's.
"""

from __future__ import annotations

import io
import math
import re
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from .results import Chart, duration

#: The colour that Matplotlib draws in, and the CSS variable that it stands for.
ROLES = {
    "ink": "#010101",
    "muted": "#010102",
    "grid": "#010103",
    "ours": "#010104",
    "peer": "#010105",
    "limit": "#010106",
}
WIDTH, SLOT, BAR, FOOT = 400, 40, 13, 22  # CSS pixels
PIXELS_PER_INCH = 72  # Matplotlib's SVG counts points of 1/72 inch
ROOM_FOR_TEXT = 0.23  # of the width, to the right of the longest bar
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 12.5,
    "font.family": "sans-serif",
    "svg.hashsalt": "fastcollate",
    "text.parse_math": False,
}


def svg(chart: Chart, name: str) -> str:
    """Return a chart as an SVG element.

    Parameters
    ----------
    chart : Chart
        With at least one bar.
    name : str
        Unique on the page: in front of every id in the drawing.

    Returns
    -------
    str
        ``<svg ...>...</svg>``, without title and sentence, which are the page's.
    """
    height = SLOT * len(chart.bars) + (FOOT if chart.log else 4)
    with rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH / PIXELS_PER_INCH, height / PIXELS_PER_INCH), facecolor="none")
        axes = figure.add_axes((0.0, (height - SLOT * len(chart.bars)) / height, 1.0, SLOT * len(chart.bars) / height))
        draw(axes, chart)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return inline(stream.getvalue(), chart, name)


def draw(axes: Axes, chart: Chart) -> None:
    """Draw the bars from top to bottom, each under its label and in front of its value."""
    left, right = scale(axes, chart)
    axes.set_xlim(left, right)
    axes.set_ylim(SLOT * len(chart.bars), 0)
    axes.set_facecolor("none")
    axes.yaxis.set_visible(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.axvline(left, color=ROLES["muted"], linewidth=1.5)
    for position, bar in enumerate(chart.bars):
        top = position * SLOT
        value = max(bar.value, left)
        axes.barh(top + 19, value - left, BAR, left=left, align="edge", color=ROLES[bar.kind])
        label = ROLES["ours" if bar.kind == "ours" else "ink"]
        weight = "bold" if bar.kind == "ours" else "normal"
        axes.annotate(
            bar.label, (left, top + 15), xytext=(2, 0), textcoords="offset points", color=label, weight=weight
        )
        axes.annotate(
            bar.text, (value, top + 19 + BAR / 2), xytext=(5, 0), textcoords="offset points", va="center",
            color=ROLES["ink"], weight=weight,
        )  # fmt: skip


def scale(axes: Axes, chart: Chart) -> tuple[float, float]:
    """Set up the axis, and return its ends."""
    longest = max(chart.top or 0.0, *(bar.value for bar in chart.bars)) or 1.0
    axes.xaxis.set_minor_locator(NullLocator())
    if not chart.log:
        axes.xaxis.set_major_locator(NullLocator())
        return 0.0, longest / (1 - ROOM_FOR_TEXT)
    axes.set_xscale("log")
    shortest = min(bar.value for bar in chart.bars)
    left = 10 ** math.floor(math.log10(shortest) - 0.3)
    right = left * (longest / left) ** (1 / (1 - ROOM_FOR_TEXT))
    last = math.log10(left) + 0.93 * math.log10(right / left)  # further right its text would be cut off
    decades = range(round(math.log10(left)) + 1, math.floor(last) + 1)
    axes.xaxis.set_major_locator(FixedLocator([10.0**power for power in decades]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: decade(value)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="x", length=0, labelcolor=ROLES["muted"], pad=3)
    axes.grid(axis="x", color=ROLES["grid"], linewidth=1)
    axes.set_axisbelow(True)
    return left, right


def decade(seconds: float) -> str:
    """Return a power of ten without decimals: "10 ms"."""
    return re.sub(r"\.0+(?= )", "", duration(seconds))


def inline(text: str, chart: Chart, name: str) -> str:
    """Return Matplotlib's file as an element of a page."""
    text = text[text.index("<svg") :].strip()
    for role, colour in ROLES.items():
        text = text.replace(colour, f"var(--{role})")
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(url\(|href=")#', rf"\1#{name}-", text)
    label = "; ".join(f"{bar.label} {bar.text}" for bar in chart.bars)
    # Its size is the page's affair.
    opening = f'<svg viewBox="{view_box(text)}" role="img" aria-label="{escape(label)}"'
    return re.sub(r"<svg\b[^>]*", opening, text, count=1)


def view_box(text: str) -> str:
    """Return the view box that Matplotlib wrote."""
    found = re.search(r'viewBox="([^"]+)"', text)
    if found is None:
        raise RuntimeError("charts: expected a viewBox in Matplotlib's SVG, got none")
    return found[1]
