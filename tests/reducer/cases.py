"""The recorded cases of the reducer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "golden" / "reduce"
CASES: list[dict[str, Any]] = [
    case
    for name in ("reduce.jsonl", "reduce_random.jsonl", "reduce_nasty.jsonl")
    for case in map(json.loads, (GOLDEN / name).read_bytes().splitlines())
]
