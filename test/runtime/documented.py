"""Tables of docs/resources-server.md that the tests make: what was played is what is documented.

A table stands between ``<!-- NAME: made by test/runtime -->`` and ``<!-- NAME ends -->``. With GYMGEN_WRITE_DOCS=1 in
the environment the tests write it anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import gymclient

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/resources-server.md"
RESULTS = ROOT / "bench/server/results"


def check(name: str, columns: list[str], rows: list[list[Any]]) -> None:
    """Compare what was played with the page, or write it there."""
    begin, end = f"<!-- {name}: made by test/runtime -->\n", f"<!-- {name} ends -->"
    page = PAGE.read_text(encoding="utf-8")
    match = re.search(re.escape(begin) + "(.*?)" + re.escape(end), page, re.DOTALL)
    assert match is not None, f"{PAGE} has no table {name}"
    made = gymclient.table(columns, rows) + "\n"
    if os.environ.get("GYMGEN_WRITE_DOCS"):
        PAGE.write_text(page[: match.start(1)] + made + page[match.end(1) :], encoding="utf-8")
    else:
        assert match[1] == made, (
            f"the table {name} of docs/resources-server.md isn't what was played: GYMGEN_WRITE_DOCS=1 mends it"
        )


def verdicts(subject: str) -> dict[str, str]:
    """What each fault came to, as bench/server measured another server once."""
    lines = (RESULTS / subject / "faults.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| ")]
    return {row[0]: row[-1].rstrip(" |") for row in cells[2:]}
