"""Results as tables of Arrow, pandas and polars, and as HTML in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

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

    @abstractmethod
    def _columns(self) -> dict[str, list[object]]:
        """What each column holds, by name."""


def _need(package: str) -> Any:
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError:
        raise ResourceUnavailable(f"{package} is not installed. Run: pip install {package}") from None


_SHOWN: Final = 20


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


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else str(value)
