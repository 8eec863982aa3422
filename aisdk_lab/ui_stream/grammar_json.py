"""The names of the stream for TypeScript: `python -m aisdk_lab.ui_stream.grammar_json > widget_js/src/grammar.json`.

Stage: ui_stream; a projection of `grammar` and `message_rules`, no second list. Every name is a key: TypeScript keeps the keys of
a JSON file as literal types and turns its strings into `string`, so only keys can be compared with the official types
(widget_js/tests/official_types.test-d.ts). A test compares the file with what this prints.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.grammar import ChunkRule
from aisdk_lab.ui_stream.message_rules import part_shapes
from aisdk_lab.ui_stream.shapes import Optional, Shape, never


def names_json() -> str:
    """Chunks and parts with their fields, tool states and closed vocabularies, as JSON text; one name a line."""
    chunks = {**grammar.CHUNKS, f"{grammar.DATA_PREFIX}*": grammar.DATA_CHUNK}
    sections: dict[str, dict[str, Any]] = {
        "chunks": {name: _fields(rule) for name, rule in chunks.items()},
        "parts": {name: _keys(shape) for name, shape in part_shapes().items()},
        "toolStates": dict.fromkeys(grammar.TOOL_STATES, True),
        "finishReasons": dict.fromkeys(grammar.FINISH_REASONS, True),
        "inputEncodings": dict.fromkeys(grammar.INPUT_ENCODINGS, True),
    }
    return (
        "{\n" + ",\n".join(f"  {json.dumps(name)}: {_lines(section)}" for name, section in sections.items()) + "\n}\n"
    )


def _fields(rule: ChunkRule) -> dict[str, dict[str, str]]:
    """The kinds of a chunk's fields, by name: those that must be there, and the others."""
    required = {name: field.kind for name, field in rule.fields.items() if field.required}
    optional = {name: field.kind for name, field in rule.fields.items() if not field.required}
    return {"required": required, "optional": optional}


def _keys(shape: Shape, before: str = "") -> dict[str, dict[str, bool]]:
    """The keys of a part besides its type, those of its approval as `approval.id`; a key that must be absent is none."""
    keys: dict[str, dict[str, bool]] = {"required": {}, "optional": {}}
    for name, given in shape.keys.items():
        need, rule = ("optional", given.rule) if isinstance(given, Optional) else ("required", given)
        if name == "type" or rule is never:
            continue
        keys[need][before + name] = True
        if isinstance(rule, Shape):
            for inner, names in _keys(rule, f"{name}.").items():
                keys[inner] |= names
    return keys


def _lines(section: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in section.items()) + "\n  }"


if __name__ == "__main__":
    sys.stdout.write(names_json())
