"""Are these UI messages, and what do they look like without what does not belong? As `safeValidateUIMessages` judges.

Stage: ui_stream. For histories that come from outside: a file, a database, a request. First the structure of all
messages, then metadata, data parts and tool parts against the schemas that the caller gives.
The first bad message, and in it the first bad part, ends the judgement: the issues are those of one place.
Remote values never raise; a schema of the caller that is broken does.
Not done: the warning that the reference logs for `rawInput` in `output-error` parts; `experimental_refineToolInput`.
Source: `ai` 7.0.173 `validate-ui-messages.ts`, spec §8.2; recorded: tests/golden/validate_messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aisdk_lab.errors import cut
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.grammar import DATA_PREFIX, TERMINAL_TOOL_STATES
from aisdk_lab.ui_stream.json_schema import Schema, SchemaProblem, read_schema
from aisdk_lab.ui_stream.message_rules import messages as messages_rule
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, TOOL_PREFIX, Message, Part
from aisdk_lab.ui_stream.shapes import Issue, Walk
from aisdk_lab.wire import json_text


@dataclass(frozen=True, slots=True)
class MessagesError:
    """The error that the reference would give."""

    name: str
    """`AI_TypeValidationError` or `AI_InvalidArgumentError`."""
    message: str
    """In the reference's form; after `Error message:` stand the issues, or the cause where it is the reference's own."""
    field: str | None = None
    """What failed its schema: `messages[1].parts[0].input`; None: the structure of the messages."""
    entity_name: str | None = None
    """Name of the tool or of the kind of data."""
    entity_id: str | None = None
    """Id of the message, the tool call or the data part."""


@dataclass(frozen=True, slots=True)
class MessagesVerdict:
    """What `validate_messages` found."""

    success: bool
    data: list[Message] | None = None
    """New messages without unknown keys; values of `input`, `output`, `data` and `metadata` are those that were given."""
    error: MessagesError | None = None
    issues: tuple[Issue, ...] = ()
    """Paths begin at what failed: at the list of messages, or at the value that `error.field` names."""


class _Refused(Exception):
    """Ends the judgement from within; never leaves this module."""

    def __init__(self, verdict: MessagesVerdict) -> None:
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class _Context:
    """What is judged: the words that an error names it with."""

    field: str | None = None
    name: str | None = None
    id: str | None = None

    def refuse(self, value: Any, cause: str, issues: Sequence[Issue] = ()) -> _Refused:
        """The error of this place."""
        entity = ", ".join([*([self.name] if self.name else []), *([f'id: "{self.id}"'] if self.id else [])])
        place = (f" for {self.field}" if self.field else "") + (f" ({entity})" if entity else "")
        message = f"Type validation failed{place}: Value: {_value_text(value)}.\nError message: {cause}"
        error = MessagesError("AI_TypeValidationError", message, self.field, self.name, self.id)
        return _Refused(MessagesVerdict(False, error=error, issues=tuple(issues)))

    def check(self, value: Any, schema: Schema) -> None:
        """Judge a value; raises when it fails."""
        if issues := schema.issues(value):
            raise self.refuse(value, _issues_text(issues), issues)


def _value_text(value: Any) -> str:
    """The value as `JSON.stringify` writes it; what cannot be written is shown short."""
    if value is UNSET:
        return "undefined"
    try:
        return json_text.write(value)
    except (TypeError, ValueError) as problem:
        return f"({cut(str(problem), 120)})"


def _issues_text(issues: Sequence[Issue]) -> str:
    return "; ".join(f"{issue.message}  @ {_place(issue)}" for issue in issues)


def _place(issue: Issue) -> str:
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in issue.path)


def validate_messages(
    messages: Any,
    *,
    tools: Mapping[str, Any] | None = None,
    data_schemas: Mapping[str, Any] | None = None,
    metadata_schema: Any = None,
) -> MessagesVerdict:
    """Judge messages and clean them.

    Args:
        messages: what claims to be a list of UI messages; any value.
        tools: tool name to `{"inputSchema": …, "outputSchema"?: …}`, JSON Schemas. Given, the input and output of static
            tool parts are judged; a finished call of a tool that is not named becomes a `dynamic-tool` part.
        data_schemas: name of a data part (without `data-`) to its JSON Schema. Given, every data part needs one.
        metadata_schema: JSON Schema of every message's metadata, absent metadata included.

    Raises:
        MissingExtra: a schema is given and the `jsonschema` library is not installed.
        SchemaProblem: a schema is broken, in an unknown dialect, or refers to something outside of it.

    >>> verdict = validate_messages([{"id": "u", "role": "user", "parts": [{"type": "text", "text": 3}]}])
    >>> verdict.success, verdict.issues[0].path, verdict.issues[0].message
    (False, (0, 'parts', 0, 'text'), 'Invalid input: expected string, received number')
    """
    schemas = _Schemas.read(tools, data_schemas, metadata_schema)
    if messages is None:
        text = "Invalid argument for parameter messages: messages parameter must be provided"
        return MessagesVerdict(False, error=MessagesError("AI_InvalidArgumentError", text))
    walk = Walk()
    cleaned = messages_rule(messages, walk)
    try:
        if walk.issues:
            raise _Context().refuse(messages, _issues_text(walk.issues), walk.issues)
        schemas.judge(cleaned)
    except _Refused as refused:
        return refused.verdict
    return MessagesVerdict(True, cleaned)


@dataclass(frozen=True, slots=True)
class _Schemas:
    """The caller's schemas, ready to judge; None: not given, so nothing of that kind is judged."""

    tools: Mapping[str, tuple[Schema | None, Schema | None]] | None
    data: Mapping[str, Schema] | None
    metadata: Schema | None

    @classmethod
    def read(cls, tools: Mapping[str, Any] | None, data: Mapping[str, Any] | None, metadata: Any) -> _Schemas:
        """Make every schema ready, so that a broken one is named whatever the messages are."""

        def of_tool(name: str, tool: Any) -> tuple[Schema | None, Schema | None]:
            if not isinstance(tool, Mapping):
                raise SchemaProblem(f"tools[{name!r}] is {cut(repr(tool), 80)}. Give {{'inputSchema': …}}.")
            keys = ("inputSchema", "outputSchema")
            first, second = (
                None if tool.get(key) is None else read_schema(tool[key], f"tools[{name!r}].{key}") for key in keys
            )
            return first, second

        return cls(
            None if tools is None else {name: of_tool(name, tool) for name, tool in tools.items() if tool is not None},
            None
            if data is None
            else {name: read_schema(one, f"data_schemas[{name!r}]") for name, one in data.items() if one is not None},
            None if metadata is None else read_schema(metadata, "metadata_schema"),
        )

    def judge(self, messages: list[Message]) -> None:
        """Judge metadata, then parts; tool parts that are converted change in place."""
        if self.metadata is not None:
            for index, message in enumerate(messages):
                context = _Context(f"messages[{index}].metadata", id=message["id"])
                context.check(message.get("metadata", UNSET), self.metadata)
        for index, message in enumerate(messages):
            for place, part in enumerate(message["parts"]):
                field = f"messages[{index}].parts[{place}]"
                if self.data is not None and part["type"].startswith(DATA_PREFIX):
                    self._judge_data(part, f"{field}.data", self.data)
                elif self.tools is not None and part["type"].startswith(TOOL_PREFIX):
                    message["parts"][place] = _judged_tool_part(part, field, self.tools)

    def _judge_data(self, part: Part, field: str, schemas: Mapping[str, Schema]) -> None:
        name = part["type"].removeprefix(DATA_PREFIX)
        context = _Context(field, name, part.get("id"))
        if name not in schemas:
            raise context.refuse(part["data"], f"No data schema found for data part {name}")
        context.check(part["data"], schemas[name])


def _judged_tool_part(part: Part, field: str, tools: Mapping[str, tuple[Schema | None, Schema | None]]) -> Part:
    """The part, or the dynamic part that stands for it."""
    name = part["type"].removeprefix(TOOL_PREFIX)
    context = _Context(f"{field}.input", name, part["toolCallId"])
    if name not in tools:
        if part["state"] in TERMINAL_TOOL_STATES:
            return _as_dynamic(part, name)
        raise context.refuse(part.get("input", UNSET), f"No tool schema found for tool part {name}")
    input_schema, output_schema = tools[name]
    is_convertible = part["state"] == "output-error" or (part["state"] == "output-available" and part["input"] == {})
    becomes_dynamic = False
    try:
        _judge_input(part, context, input_schema)
    except _Refused:
        # What failed, and what began without input, must stay readable; it must not claim the tool's present types.
        if not is_convertible:
            raise
        becomes_dynamic = True
    if part["state"] == "output-available" and output_schema is not None:
        _Context(f"{field}.output", name, part["toolCallId"]).check(part["output"], output_schema)
    return _as_dynamic(part, name) if becomes_dynamic else part


def _judge_input(part: Part, context: _Context, schema: Schema | None) -> None:
    """Judge the input; where a server has refined it, what went into the schema is judged and must give this input."""
    approval = part.get("approval", {})
    is_refined = "inputSchemaInput" in approval
    if part["state"] == "input-streaming":
        return
    if part["state"] == "output-error" and not is_refined and "input" not in part:
        return
    given = part.get("input", UNSET)
    if schema is not None:
        context.check(approval["inputSchemaInput"] if is_refined else given, schema)
    if is_refined and not _is_same(approval["inputSchemaInput"], given):
        cause = "Tool input does not match the output reconstructed from inputSchemaInput."
        raise context.refuse(given, cause)


def _as_dynamic(part: Part, name: str) -> Part:
    rest = {key: value for key, value in part.items() if key != "type"}
    return {**rest, "type": DYNAMIC_TOOL, "toolName": name, "dynamic": False}


def _is_same(left: Any, right: Any) -> bool:
    """Equal as JSON values: `1` and `1.0` are, `1` and `true` are not. Without recursion, for the sake of depth."""
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            todo += [(one[key], other[key]) for key in one]
        elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif isinstance(one, bool) is not isinstance(other, bool) or one != other:
            return False
    return True
