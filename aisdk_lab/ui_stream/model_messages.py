"""UI messages to the messages that a model gets, as `convertToModelMessages` makes them.

Stage: ui_stream. One UI message of an assistant becomes several model messages: a block of content and, where its tools
have answered, a message of the role `tool`, for each step.
A key is there where the reference's object has a value for it; what it sets to undefined is absent.
Source: `ai` 7.0.173 `convert-to-model-messages.ts`, `create-tool-model-output.ts`; spec §8.1; recorded:
tests/golden/convert. Differences on purpose: no warning is logged for `rawInput`; no awaiting, `to_model_output` is a
plain function. Messages that are none (no `parts`, a part without `type`) stop JavaScript with a `TypeError`; here too,
with the same text, and with the place, which JavaScript does not say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from aisdk_lab.errors import LabError, cut
from aisdk_lab.ui_stream.chunks import UNSET
from aisdk_lab.ui_stream.grammar import DATA_PREFIX
from aisdk_lab.ui_stream.javascript import js_text, own_properties
from aisdk_lab.ui_stream.messages import DYNAMIC_TOOL, STEP_START, Message, Part, is_tool_part, tool_name
from aisdk_lab.ui_stream.shapes import json_copy
from aisdk_lab.ui_stream.url_text import InvalidUrl, normal_url
from aisdk_lab.wire import json_text

ModelMessage = dict[str, Any]
"""`{"role", "content", "providerOptions"?}`; content is a string for `system`, else a list of parts."""
ConvertDataPart = Callable[[Part], "dict[str, Any] | None"]
"""Gets a `data-…` part of a user or an assistant, gives a text or file part for the model, or None to leave it out."""


class MessageConversionError(LabError):
    """Messages that cannot be converted.

    `name` and `message` are those of the reference (`AI_MessageConversionError`, `Unsupported role: tool`; `TypeError`,
    `Invalid URL`); the text of the exception adds the value and its place.
    """

    def __init__(self, message: str, place: str, *, name: str = "TypeError") -> None:
        super().__init__(f"{message}: {place}")
        self.name = name
        self.message = message


def convert_to_model_messages(
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Mapping[str, Any] | None = None,
    ignore_incomplete_tool_calls: bool = False,
    convert_data_part: ConvertDataPart | None = None,
) -> list[ModelMessage]:
    """Convert UI messages; they are not changed, and nothing of the result is shared but provider metadata and inputs.

    Args:
        messages: UI messages; judge them with `validate_messages` first when they come from outside.
        tools: tool name to anything. An entry may have `to_model_output`, as a key or an attribute: a function that is
            called with the keywords `output`, `tool_call_id` and `input` and gives the model's form of a final or
            preliminary output, for example `{"type": "text", "value": "…"}`. Names matter for parts that a validator
            has marked (`dynamic: false`): without an entry their output is left out.
        ignore_incomplete_tool_calls: leave out calls that have no final output and no answered approval.
        convert_data_part: what a model sees of a data part; without it data parts are left out.

    Raises:
        MessageConversionError: a role or a URL is not valid, or a message is none; says which and where.

    >>> convert_to_model_messages([{"role": "user", "parts": [{"type": "text", "text": "hi"}]}])
    [{'role': 'user', 'content': [{'type': 'text', 'text': 'hi'}]}]
    """
    given = _array(messages, "messages", "messages", "some")
    for place, message in enumerate(given):
        _check_message(message, f"messages[{place}]")
    last_user = max((place for place, message in enumerate(given) if message.get("role") == "user"), default=-1)
    is_filtering = ignore_incomplete_tool_calls or last_user > 0
    placed: list[list[_Placed]] = []
    for place, message in enumerate(given):
        parts = [(part, f"messages[{place}].parts[{index}]") for index, part in enumerate(message["parts"])]
        is_past = place < last_user
        placed.append(
            [one for one in parts if not is_filtering or _is_kept(_part(*one), is_past, ignore_incomplete_tool_calls)]
        )
    converter = _Converter(tools or {}, convert_data_part)
    for place, (message, parts) in enumerate(zip(given, placed, strict=True)):
        converter.add(message, parts, f"messages[{place}]")
    return converter.messages


_Placed = tuple[Any, str]
"""A part, or what stands in its place, and the place for errors."""


def _type_error(value: Any, name: str, wanted: str, place: str) -> MessageConversionError:
    """What JavaScript says when `name`, which is `value`, should have `wanted`."""
    if value is None or value is UNSET:
        word = "null" if value is None else "undefined"
        return MessageConversionError(f"Cannot read properties of {word} (reading '{wanted}')", _found(place, value))
    return MessageConversionError(f"{name}.{wanted} is not a function", _found(place, value))


def _found(place: str, value: Any) -> str:
    if value is UNSET:
        return f"{place} is missing"
    try:
        return f"{place} is {cut(repr(value), 80)}"
    except (RecursionError, ValueError):  # too deep, or an integer of thousands of digits
        return f"{place} is of the type {type(value).__name__}"


def _array(value: Any, place: str, name: str, method: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise _type_error(value, name, method, place)
    return list(cast("Sequence[Any]", value))


def _check_message(message: Any, place: str) -> None:
    if message is None:
        raise _type_error(message, "", "parts", place)
    parts: Any = cast("Mapping[str, Any]", message).get("parts", UNSET) if isinstance(message, Mapping) else UNSET
    _array(parts, f"{place}.parts", "message.parts", "some")


def _part(value: Any, place: str) -> Part:
    """A part, which has a type."""
    if value is None:
        raise _type_error(value, "", "type", place)
    kind: Any = cast("Mapping[str, Any]", value).get("type", UNSET) if isinstance(value, Mapping) else UNSET
    if not isinstance(kind, str):
        raise _type_error(kind, "part.type", "startsWith", f"{place}.type")
    return cast(Part, value)


def _is_kept(part: Part, is_past: bool, is_ignoring: bool) -> bool:
    """A later message of the user supersedes a request that nobody has answered."""
    if not is_tool_part(part):
        return True
    state = part.get("state")
    if state == "approval-requested" and is_past:
        return False
    if not is_ignoring:
        return True
    if state == "output-available":
        return part.get("preliminary") is not True
    return state in ("approval-responded", "output-error", "output-denied")


def _options(*metadata: Any) -> dict[str, Any]:
    """`providerOptions` from the first metadata that is there, else no key."""
    return next(({"providerOptions": one} for one in metadata if one is not None), {})


def _copied(part: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The keys that are there, `null` included."""
    return {name: part[name] for name in names if name in part}


def _file_data(part: Part, place: str) -> dict[str, Any]:
    if part.get("providerReference") is not None:
        return {"type": "reference", "reference": part["providerReference"]}
    return {"type": "url", "url": _url(part.get("url"), f"{place}.url")}


def _url(value: Any, place: str) -> str:
    try:
        return normal_url(value if isinstance(value, str) else _as_text(value, place))
    except InvalidUrl:
        found = f"{_found(place, value)}. Give an absolute URL (a data: URL is one)."
        raise MessageConversionError("Invalid URL", found) from None


def _text_part(part: Part) -> dict[str, Any]:
    return {"type": "text", **_copied(part, "text"), **_options(part.get("providerMetadata"))}


def _file_part(part: Part, place: str) -> dict[str, Any]:
    return {
        "type": "file",
        **_copied(part, "mediaType", "filename"),
        "data": _file_data(part, place),
        **_options(part.get("providerMetadata")),
    }


def _is_text(part: Any, place: str) -> bool:
    if part is None:
        raise _type_error(part, "", "type", place)
    return isinstance(part, Mapping) and cast("Mapping[str, Any]", part).get("type") == "text"


def _steering_part(part: Any, place: str) -> dict[str, Any]:
    if _is_text(part, place):
        return _text_part(part)
    return _file_part(cast(Part, part if isinstance(part, Mapping) else {}), place)


def _approval(part: Part) -> Mapping[str, Any]:
    approval = part.get("approval")
    return cast("Mapping[str, Any]", approval) if isinstance(approval, Mapping) else {}


@dataclass
class _Converter:
    """Adds one UI message after the other."""

    tools: Mapping[str, Any]
    convert_data_part: ConvertDataPart | None

    def __post_init__(self) -> None:
        self.messages: list[ModelMessage] = []

    def add(self, message: Message, parts: list[_Placed], place: str) -> None:
        """Add the model messages of one UI message."""
        role: Any = message.get("role", UNSET)
        if role == "system":
            self._add_system([(part, where) for part, where in parts if _is_text(part, where)])
        elif role == "user":
            content = [self._user_part(part, where) for part, where in parts]
            self.messages.append({"role": "user", "content": [part for part in content if part is not None]})
        elif role == "assistant":
            self._add_assistant(parts)
        else:
            text = f"Unsupported role: {_as_text(role, f'{place}.role')}"
            found = f"{_found(f'{place}.role', role)}. Use system, user or assistant."
            raise MessageConversionError(cut(text), found, name="AI_MessageConversionError")

    def _add_system(self, texts: list[tuple[Part, str]]) -> None:
        options: dict[str, Any] = {}
        for part, _ in texts:
            options |= own_properties(part.get("providerMetadata"))
        content = "".join(_joined_text(part.get("text"), f"{place}.text") for part, place in texts)
        self.messages.append({"role": "system", "content": content, **(_options(options) if options else {})})

    def _user_part(self, given: Any, place: str) -> dict[str, Any] | None:
        part = _part(given, place)
        if part["type"] == "text":
            return _text_part(part)
        if part["type"] == "file":
            return _file_part(part, place)
        return self._data_part(part) if part["type"].startswith(DATA_PREFIX) else None

    def _data_part(self, part: Part) -> dict[str, Any] | None:
        return self.convert_data_part(part) if self.convert_data_part else None

    def _add_assistant(self, parts: list[_Placed]) -> None:
        block: list[tuple[Part, str]] = []
        for given, place in parts:
            part = _part(given, place)
            if part["type"] not in (STEP_START, "steering-message"):
                block.append((part, place))
                continue
            self._add_block(block)
            block = []
            if part["type"] == "steering-message":
                where = f"{place}.parts"
                steering = _array(part.get("parts", UNSET), where, "part.parts", "map")
                content = [_steering_part(one, f"{where}[{index}]") for index, one in enumerate(steering)]
                self.messages.append({"role": "user", "content": content})
        self._add_block(block)

    def _add_block(self, block: list[tuple[Part, str]]) -> None:
        content = [one for part, place in block for one in self._assistant_content(part, place)]
        if content:
            self.messages.append({"role": "assistant", "content": content})
        tools = [part for part, _ in block if is_tool_part(part)]
        answers = [one for part in tools for one in self._tool_content(part)]
        if answers:
            self.messages.append({"role": "tool", "content": answers})

    def _assistant_content(self, part: Part, place: str) -> Iterator[dict[str, Any]]:
        kind = part["type"]
        metadata = part.get("providerMetadata")
        if kind == "text":
            yield _text_part(part)
        elif kind == "custom":
            yield {"type": "custom", **_copied(part, "kind"), **_options(metadata)}
        elif kind == "file":
            yield _file_part(part, place)
        elif kind == "reasoning-file":
            data = {"type": "url", "url": _url(part.get("url"), f"{place}.url")}
            options = {"providerOptions": metadata} if "providerMetadata" in part else {}
            yield {"type": "reasoning-file", "data": data, **_copied(part, "mediaType"), **options}
        elif kind == "reasoning":
            options = {"providerOptions": metadata} if "providerMetadata" in part else {}
            yield {"type": "reasoning", **_copied(part, "text"), **options}
        elif is_tool_part(part):
            yield from self._call_content(part)
        elif kind.startswith(DATA_PREFIX):
            converted = self._data_part(part)
            if converted is not None:
                yield converted

    def _call_content(self, part: Part) -> Iterator[dict[str, Any]]:
        """The call, its request for approval, and the result where the provider has run the tool itself."""
        state = part.get("state")
        if state == "input-streaming":
            return
        call_metadata, result_metadata = part.get("callProviderMetadata"), part.get("resultProviderMetadata")
        yield {
            "type": "tool-call",
            **_called(part),
            **_call_input(part),
            **_copied(part, "providerExecuted"),
            **_options(call_metadata, result_metadata if state == "output-error" else None),
        }
        if part.get("approval") is not None:
            yield _approval_request(part)
        if part.get("providerExecuted") is True and state in ("output-available", "output-error"):
            output = self._output(part, "error-json")
            yield {"type": "tool-result", **_called(part), "output": output, **_options(result_metadata, call_metadata)}

    def _tool_content(self, part: Part) -> Iterator[dict[str, Any]]:
        """The answers to a call: an approval, a result that we know."""
        approval, state = _approval(part), part.get("state")
        is_denied = approval.get("approved") is False
        if approval.get("approved") is not None:
            answer = {"type": "tool-approval-response", **({"approvalId": approval["id"]} if "id" in approval else {})}
            yield answer | _copied(approval, "approved", "reason") | _copied(part, "providerExecuted")
        elif part.get("providerExecuted") is True:
            return
        result = {"type": "tool-result", **_called(part)}
        options = _options(part.get("callProviderMetadata"))
        if state == "approval-responded" and is_denied:
            yield {**result, "output": {"type": "execution-denied", **_copied(approval, "reason")}, **options}
        if part.get("providerExecuted") is True:
            return
        if state == "output-denied":
            reason = approval.get("reason")
            value = "Tool call execution denied." if reason is None else reason
            yield {**result, "output": {"type": "error-text", "value": value}, **options}
        elif state in ("output-error", "output-available"):
            yield {**result, "output": self._output(part, "error-text"), **options}

    def _output(self, part: Part, error_type: str) -> dict[str, Any]:
        """What the model sees of an output or an error."""
        if part.get("state") == "output-error":
            error = part.get("errorText")
            value = json_copy(error) if error_type == "error-json" else _error_text(error)
            return {"type": error_type, "value": value}
        tool = self.tools.get(tool_name(part))
        if tool is None and part["type"] == DYNAMIC_TOOL and part.get("dynamic") is False:
            return {"type": "text", "value": "Tool output omitted because the tool is no longer available."}
        output = part.get("output")
        to_model_output = _to_model_output(tool)
        if to_model_output is not None:
            return to_model_output(output=output, tool_call_id=part.get("toolCallId"), input=part.get("input"))
        if isinstance(output, str):
            return {"type": "text", "value": output}
        return {"type": "json", "value": json_copy(output)}


def _called(part: Part) -> dict[str, Any]:
    name = {"toolName": part["toolName"]} if "toolName" in part else {}
    return {**_copied(part, "toolCallId"), **(name if part["type"] == DYNAMIC_TOOL else {"toolName": tool_name(part)})}


def _call_input(part: Part) -> dict[str, Any]:
    """The input; a failed call has it in `rawInput` where an older version wrote it."""
    if part.get("state") == "output-error" and part.get("input") is None:
        return {"input": part["rawInput"]} if "rawInput" in part else {}
    return _copied(part, "input")


def _approval_request(part: Part) -> dict[str, Any]:
    approval = _approval(part)
    request: dict[str, Any] = {"type": "tool-approval-request"}
    if "id" in approval:
        request["approvalId"] = approval["id"]
    request |= _copied(part, "toolCallId") | _copied(approval, "isAutomatic")
    if approval.get("requestReason") is not None:
        request["reason"] = approval["requestReason"]
    request |= _copied(approval, "inputSchemaInput")
    return request | ({"signature": approval["signature"]} if approval.get("signature") is not None else {})


def _to_model_output(tool: Any) -> Callable[..., dict[str, Any]] | None:
    if isinstance(tool, Mapping):
        return cast("Mapping[str, Any]", tool).get("to_model_output")
    return getattr(tool, "to_model_output", None)


def _error_text(error: Any) -> str:
    if error is None or isinstance(error, str):
        return "unknown error" if error is None else error
    try:
        return json_text.write(error)
    except (TypeError, ValueError) as problem:
        return str(problem)


def _joined_text(value: Any, place: str) -> str:
    """A member of a list that is joined: `null` leaves nothing."""
    return "" if value is None else _as_text(value, place)


def _as_text(value: Any, place: str) -> str:
    """What JavaScript's `String(value)` gives for a JSON value."""
    try:
        return js_text(value)
    except (RecursionError, TypeError) as problem:  # nested too deeply, or an object with a `toString` of its own
        raise MessageConversionError(str(problem), _found(place, value)) from None
