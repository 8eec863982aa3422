"""One text for one JSON value, and its fingerprint: was this the input that the person saw?

Stage: runs. Source: `ai` 7.0.173 `canonical-hash.ts` (spec §7.7, steps 1 and 2).
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from aisdk_lab.wire import json_text


def canonical_json(value: Any) -> str:
    """The value as JSON without whitespace, keys sorted by UTF-16 code units.

    >>> canonical_json({"b": 1.0, "a": ["杭州", None]})
    '{"a":["杭州",null],"b":1}'
    """
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda item: str(item[0]).encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{json_text.write(key)}:{canonical_json(item)}" for key, item in ordered) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(canonical_json(item) for item in value) + "]"
    return json_text.write(value)


def input_hash(value: Any) -> str:
    """SHA-256 of the canonical JSON, base64url without padding.

    >>> input_hash({"city": "P"})
    'DDB3Ne85vXRYwIxiOJPxDOp1p3q-rM0RDbXIyI2pk80'
    """
    digest = hashlib.sha256(canonical_json(value).encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
