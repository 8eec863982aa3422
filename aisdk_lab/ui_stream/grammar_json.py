"""The names of the stream for TypeScript: `python -m aisdk_lab.ui_stream.grammar_json > widget_js/src/grammar.json`.

Stage: ui_stream; a projection of `grammar` and `parts`, no second list. Every name is a key: TypeScript keeps the keys of
a JSON file as literal types and turns its strings into `string`, so only keys can be compared with the official types
(widget_js/tests/official_types.test-d.ts). A test compares the file with what this prints.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from aisdk_lab.ui_stream import grammar
from aisdk_lab.ui_stream.grammar import ChunkRule
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, STEP_START, TOOL_PREFIX
from aisdk_lab.ui_stream.parts import PART_KEYS

ANY_NAME = "*"
"""Ends the names of the open families: `data-*`, `tool-*`."""


def names_json() -> str:
    """Chunks with their fields and kinds, parts, tool states and closed vocabularies, as JSON text; one name a line."""
    chunks = {**grammar.CHUNKS, grammar.DATA_PREFIX + ANY_NAME: grammar.DATA_CHUNK}
    sections: dict[str, dict[str, Any]] = {
        "chunks": {name: _fields(rule) for name, rule in chunks.items()},
        "parts": dict.fromkeys(_part_types(), True),
        "toolStates": dict.fromkeys(grammar.TOOL_STATES, True),
        "finishReasons": dict.fromkeys(grammar.FINISH_REASONS, True),
        "inputEncodings": dict.fromkeys(grammar.INPUT_ENCODINGS, True),
    }
    return (
        "{\n" + ",\n".join(f"  {json.dumps(name)}: {_lines(section)}" for name, section in sections.items()) + "\n}\n"
    )


def _part_types() -> list[str]:
    """Blocks become parts of their scope's name, the chunks of `PART_KEYS` parts of their own; the rest is fixed."""
    opened = {rule.scope: None for rule in grammar.CHUNKS.values() if rule.act == "opens"}
    blocks = [scope for scope in opened if scope in ("text", "reasoning")]
    families = [prefix + ANY_NAME for prefix in (grammar.DATA_PREFIX, TOOL_PREFIX)]
    return [*blocks, *PART_KEYS, STEP_START, *families, DYNAMIC_TOOL]


def _fields(rule: ChunkRule) -> dict[str, dict[str, str]]:
    """The kinds of a chunk's fields, by name: those that must be there, and the others."""
    required = {name: field.kind for name, field in rule.fields.items() if field.required}
    optional = {name: field.kind for name, field in rule.fields.items() if not field.required}
    return {"required": required, "optional": optional}


def _lines(section: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in section.items()) + "\n  }"


if __name__ == "__main__":
    sys.stdout.write(names_json())
