"""Results as tables of Arrow, pandas and polars, and as HTML in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from dialeval.display.plain import PlainColumn, side_by_side
from dialeval.display.wording import one_line
from dialeval.errors import ResourceUnavailable

if TYPE_CHECKING:
    import pyarrow as pa


class Framed(ABC):
    """A result that can be handed on as a table: ``to_arrow``, ``to_pandas`` and ``to_polars``."""

    __slots__ = ()

    def to_arrow(self) -> pa.Table:
        """The values as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pydict(self._columns())

    def to_pandas(self) -> Any:
        """The same as a pandas DataFrame."""
        _need("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """The same as a polars DataFrame."""
        polars = _need("polars")
        return polars.from_arrow(self.to_arrow())

    def __str__(self) -> str:
        return text_table(self._heading(), self._shown())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._caption()}>"

    def _repr_html_(self) -> str:
        return html_table(self._caption(), self._shown())

    @abstractmethod
    def _columns(self) -> dict[str, list[object]]:
        """Return the columns by name."""

    @abstractmethod
    def _caption(self) -> str:
        """Return the result in one line."""

    def _heading(self) -> str:
        """Return what is printed above the values."""
        return self._caption()

    def _shown(self) -> Mapping[str, Sequence[object]]:
        """Columns that are printed and that notebooks show."""
        return self._columns()


def _need(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise ResourceUnavailable(f"{package} is not installed. Run: pip install {package}") from None


_SHOWN: Final = 20
_WIDEST: Final = 40
"""Characters of a cell that are printed."""


def html_table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """The columns as an HTML table for notebooks, at most 20 rows of it; everything is escaped."""
    from html import escape

    total = max((len(column) for column in columns.values()), default=0)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(column[row]))}</td>" for column in columns.values()) + "</tr>"
        for row in range(min(total, _SHOWN))
    )
    more = f"<p>{total - _SHOWN:,} more rows</p>" if total > _SHOWN else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<div><p>{escape(caption)}</p>{table}{more}</div>"


def text_table(caption: str, columns: Mapping[str, Sequence[object]]) -> str:
    """The columns as text below the caption, at most 20 lines of both: no more than a screen.

    >>> print(text_table("two items", {"item": ["a", "b"], "value": [0.5, None]}))
    two items
    item    value
    ─────────────
    a      0.5000
    b
    """
    if not columns:
        return caption
    total, most = max(map(len, columns.values())), _SHOWN - caption.count("\n")
    shown = [
        PlainColumn(
            name,
            [[one_line(_cell(cell), limit=_WIDEST)] for cell in column[:most]],
            all(cell is None or isinstance(cell, float | int) for cell in column[:most]),
        )
        for name, column in columns.items()
    ]
    more = [f"{total - most:,} more rows"] if total > most else []
    return "\n".join([caption, *(line.rstrip() for line in side_by_side(shown)), *more])


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
