"""Do the automatic measures agree with people, and can the people be trusted?"""

from __future__ import annotations
