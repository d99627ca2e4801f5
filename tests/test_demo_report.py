"""The demo's report: one whole HTML page for light and dark, and the same tables in the terminal."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")
pytest.importorskip("rich")

from rich.console import Console

from fastcollate.cli.demo import report
from fastcollate.cli.demo.charts import ROLES, decade, svg
from fastcollate.cli.demo.console import Screen, rich_table
from fastcollate.cli.demo.results import Bar, Chart, Row, Section, Table

NASTY = '<script>alert("1 & 2")</script> [bold]$x_1$[/bold]'
BARS = (
    Bar(NASTY, 2.5, "2.50 s"),
    Bar("fastcollate.stack", 0.005, "5.00 ms", "ours"),
    Bar("limit", 0.004, "4.00 ms", "limit"),
)
TABLE = Table(
    f"a title {NASTY}",
    ("call", "time"),
    (Row(("group one",), "group"), Row((NASTY, "2.50 s")), Row(("fastcollate.stack", "5.00 ms *"), "ours")),
    f"a caption {NASTY}",
)
SECTION = Section(
    "a",
    f"a section {NASTY}",
    f"an intro {NASTY}",
    (TABLE,),
    (
        Chart("log", f"says {NASTY}", BARS, log=True),
        Chart("linear", "says", BARS),
        Chart("steps", "", BARS, family="s"),
    ),
    (f"a note {NASTY}",),
    (f"a reason {NASTY}",),
)
VOID = {"meta", "img", "br", "link", "hr"}


class Checker(HTMLParser):
    """Fails on a tag that isn't closed, or an id that is there twice."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.ids: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        name = dict(attrs).get("id")
        if name is not None:
            assert name not in self.ids
            self.ids.add(name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title"):
            self.text.append(data)


@pytest.fixture(scope="module")
def page() -> str:
    images = np.random.default_rng(0).integers(0, 256, (40, 96, 96, 3), dtype=np.uint8)
    other = Section("b", "another", "", charts=(Chart("again", "", BARS),))
    return report.page([SECTION, other], {"CPU": NASTY}, images, NASTY)


def test_the_page_is_whole(page: str) -> None:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    assert checker.seen.count("svg") == 4
    assert checker.seen.count("table") == 1
    assert {"part-a", "part-b"} <= checker.ids


def test_text_is_text(page: str) -> None:
    assert "<script" not in page
    checker = Checker()
    checker.feed(page)
    text = " ".join(checker.text)
    for part in ("a title", "a caption", "a section", "an intro", "says", "a note", "a reason"):
        assert f"{part} {NASTY}" in text


def test_the_page_needs_nothing_else(page: str) -> None:
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(address.startswith(("data:image/png;base64,", "#")) for address in addresses)
    assert "@import" not in page
    assert re.findall(r"url\((?!#)", page) == []


def test_light_and_dark(page: str) -> None:
    light, dark = page.split("@media (prefers-color-scheme: dark)")
    for role, stand_in in ROLES.items():
        assert f"--{role}:" in light
        assert f"--{role}:" in dark
        assert stand_in not in page
    assert "var(--ours)" in dark
    # Whatever Matplotlib colours by itself would be black in the dark.
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
    assert re.findall(r"#[0-9a-f]{6}\b", drawings) == []


@pytest.mark.parametrize("log", [True, False])
def test_a_chart_is_an_svg_with_its_words(log: bool) -> None:
    drawing = svg(Chart("title", "says", BARS, log=log), "chart1")
    root = ElementTree.fromstring(drawing.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1))
    texts = ["".join(node.itertext()).strip() for node in root.iter() if node.tag.endswith("text")]
    for bar in BARS:
        assert bar.label in texts
        assert bar.text in texts
    assert ("10 ms" in texts) is log
    assert all(name.startswith("chart1-") for name in re.findall(r'\bid="([^"]*)"', drawing))


def test_bars_of_nothing_are_drawn() -> None:
    assert "0.00 s" in svg(Chart("title", "says", (Bar("none", 0.0, "0.00 s"),)), "x")


@pytest.mark.parametrize(("seconds", "text"), [(1e-4, "100 µs"), (0.01, "10 ms"), (1.0, "1 s"), (100.0, "100 s")])
def test_decades(seconds: float, text: str) -> None:
    assert decade(seconds) == text


def test_the_terminal_takes_brackets_for_text() -> None:
    stream = io.StringIO()
    Console(file=stream, width=160).print(rich_table(TABLE))
    assert NASTY in stream.getvalue()


def test_no_bars_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen({"a": "the first part", "b": "another"})
    step = screen.begin("a", 2)
    step()
    step()
    screen.end("a")
    screen.show(SECTION)
    screen.close()
    written = capsys.readouterr().out
    assert "the first part" not in written
    assert "\x1b" not in written
    assert "5.00 ms *" in written
    assert "- left out: a reason" in written
