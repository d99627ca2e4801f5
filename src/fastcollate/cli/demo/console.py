"""The terminal: progress bars while it runs, tables as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table as RichTable
from rich.text import Text

from .results import Section, Table

STYLES = {"ours": "bold cyan", "peer": "", "limit": "dim italic", "group": "dim"}
#: Where there is no terminal to ask, tables are this wide.
COLUMNS = 118


class Screen:
    """Where the demo shows itself.

    Intentional: the bars have no refreshing thread of their own, which would wake up in the middle of what is timed.
    They are drawn anew at each step, and not at all where there is no terminal.
    """

    def __init__(self, parts: Mapping[str, str]) -> None:
        self.console = Console(highlight=False)
        if not self.console.is_terminal:
            self.console = Console(highlight=False, width=COLUMNS)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bars = Progress(
            *columns, console=self.console, auto_refresh=False, disable=not self.console.is_terminal, transient=True
        )
        self._tasks: dict[str, TaskID] = {
            key: self._bars.add_task(text, start=False, total=1) for key, text in parts.items()
        }
        self._bars.start()

    def close(self) -> None:
        """Take the bars away."""
        self._bars.stop()

    def begin(self, key: str, total: int) -> Callable[[], None]:
        """Start a part, and return what to call after each of its steps."""
        task = self._tasks[key]
        self._bars.update(task, total=total)
        self._bars.start_task(task)
        self._bars.refresh()

        def step() -> None:
            self._bars.advance(task)
            self._bars.refresh()

        return step

    def end(self, key: str) -> None:
        """Mark a part as done, however many steps it took."""
        task = self._tasks[key]
        total = self._bars.tasks[self._bars.task_ids.index(task)].total or 1
        self._bars.update(task, total=total, completed=total)
        self._bars.stop_task(task)
        self._bars.refresh()

    def say(self, text: str, style: str = "") -> None:
        """Print a line; nothing in it is markup."""
        self.console.print(Text(text, style=style))

    def show(self, section: Section) -> None:
        """Print a section's tables and words."""
        self.console.print()
        self.console.rule(Text(f"{section.key}. {section.title}", style="bold"), align="left")
        self.say(section.intro, "dim")
        for table in section.tables:
            self.console.print()
            self.console.print(rich_table(table))
            if table.caption:
                self.say(table.caption, "dim")
        for note in section.notes:
            self.say(f"- {note}")
        for reason in section.left_out:
            self.say(f"- left out: {reason}", "yellow")


def rich_table(table: Table) -> RichTable:
    """Return a table as rich draws it; cells are text, whatever brackets they hold."""
    made = RichTable(title=Text(table.title, style="bold"), title_justify="left", header_style="dim")
    for position, name in enumerate(table.head):
        made.add_column(Text(name), justify="right" if position else "left")
    for row in table.rows:
        if row.kind == "group":
            made.add_section()
        made.add_row(*map(Text, row.cells), style=STYLES[row.kind])
    return made
