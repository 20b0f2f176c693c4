"""Names of months, and the ordinals of their days (English)."""

from __future__ import annotations

from typing import Final

_YEAR: Final = "january february march april may june july august september october november december"
MONTHS: Final = tuple(_YEAR.split())
_TWENTY: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS: Final = tuple(_TWENTY.split())
"""From the first to the twentieth; later ones are said in two words, but for the thirtieth."""
