"""What clients and servers do differently although nothing on the wire is called differently.

Stage: ui_stream. A row is a fact of a release's behaviour; `Life.holds` asks whether a release has it. `recorded` names
the case of tests/golden/versions that shows it; where it is empty the fact is from the package's own change log.
Source: `ai` 5.0.0 to 7.0.173, run and read.
"""

from __future__ import annotations

from typing import NamedTuple

from aisdk_lab.ui_stream.grammar import Since
from aisdk_lab.ui_stream.versions.release import Life, Release


class Behaviour(NamedTuple):
    """One change of behaviour: what newer releases do, what releases without it do, and how to be safe with both."""

    name: str
    since: Since
    newer: str
    older: str
    instead: str
    recorded: str = ""
    side: str = "client"


_RESEND = "do not rely on automatic resends; let the page decide"
BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        "loose-chunks",
        ("5.0.217", "6.0.231", "7.0.32"),
        "an unknown key stays on the chunk and is not used",
        "a chunk with an unknown key is refused and the stream ends with AI_TypeValidationError",
        "only keys that the oldest client knows",
        "text-start/unknown-key",
    ),
    Behaviour(
        "finish-step-keeps-blocks",
        ("7.0.79",),
        "a text or reasoning block stays open over finish-step",
        "dies at the next delta or end of the block: its id is forgotten with the step",
        "end each block before finish-step and start it again with a new id",
        "text-over-finish-step",
    ),
    Behaviour(
        "call-id-belongs-to-step",
        ("5.0.218", "6.0.233", "7.0.33"),
        "a tool call id that comes again in a later step is a new part",
        "the part of the earlier step is overwritten; the later step shows no call",
        "give every call an id of its own",
        "call-id-again-in-next-step",
    ),
    Behaviour(
        "dynamic-part-is-found",
        ("6.0.0",),
        "an output finds its part whether static or dynamic",
        "dies at the output of a dynamic call that does not say `dynamic: true`",
        "send `dynamic: true` on every chunk of a dynamic call",
        "dynamic-output-without-flag",
    ),
    Behaviour(
        "order-errors-explain",
        ("6.0.35",),
        "a delta without its start stops the message with an error that names chunk and id",
        "the same, as a JavaScript TypeError (`Cannot read properties of undefined`)",
        "start each block and call before its deltas",
        "text-delta-for-unknown-block",
    ),
    Behaviour(
        "status-waits-for-content",
        ("5.0.236", "6.0.255", "7.0.66"),
        "the status stays `submitted` until content comes",
        "`start` alone makes the status `streaming`",
        "send `start` only together with content when a page shows a spinner",
        "status-at-start",
    ),
    Behaviour(
        "reasoning-keeps-id",
        ("5.0.234", "6.0.253", "7.0.63"),
        "a reasoning part keeps the `id` of its block",
        "reasoning parts have no `id`",
        "nothing; do not read `id` from stored reasoning parts",
        "reasoning-id",
    ),
    Behaviour(
        "failed-input-in-input",
        ("7.0.119",),
        "the input of a failed static call is in `input`",
        "it is in `rawInput`, and `input` is absent",
        "read `rawInput` when `input` is absent",
        "failed-input-static",
    ),
    Behaviour(
        "raw-input-while-streaming",
        ("5.0.270", "6.0.297", "7.0.121"),
        "an unfinished call keeps its text in `rawInput`, and a stored one goes on with the next delta",
        "no `rawInput`; a delta for a stored unfinished call dies",
        "send `tool-input-start` again before further deltas of a resumed call",
        "resumed-input",
    ),
    Behaviour(
        "text-input-is-shown",
        ("6.0.308", "7.0.142"),
        "`inputEncoding: text` shows the raw text as `input` while it arrives",
        "the text is parsed as JSON: `input` stays absent until tool-input-available",
        "send `tool-input-available` as soon as the text is complete",
        "text-encoded-input",
    ),
    Behaviour(
        "available-renames-part",
        ("6.0.313", "7.0.147"),
        "a static part takes the name of tool-input-available (a repaired name)",
        "the part keeps the name of tool-input-start",
        "send the final name at the start",
        "repaired-tool-name",
    ),
    Behaviour(
        "output-tool-metadata",
        ("6.0.296", "7.0.120"),
        "`toolMetadata` of an output chunk reaches the part",
        "only that of the input chunks does",
        "send it with the input",
        "tool-metadata-of-output",
    ),
    Behaviour(
        "result-metadata",
        ("6.0.120",),
        "`providerMetadata` of an output becomes `resultProviderMetadata`",
        "it is not kept",
        "put it into the output",
        "metadata-of-result",
    ),
    Behaviour(
        "new-id-resets-reader",
        ("5.0.274", "6.0.303", "7.0.137"),
        "`readUIMessageStream` begins a new message at a `start` with another id",
        "the new id is put on the message that is there",
        "one message a stream",
        "second-start-other-id",
    ),
    Behaviour(
        "resume-does-not-copy",
        ("5.0.233", "6.0.250", "7.0.61"),
        "a resumed response begins an empty message",
        "the message that is there is copied into it, so a replay shows its parts twice",
        "replay only what the client has not seen",
        "resume-replays",
    ),
    Behaviour(
        "resume-replay-resets",
        ("6.0.304", "7.0.138"),
        "a resume after a disconnect resets the message at the replay's `start`",
        "the replay is added to what was shown before the disconnect",
        "replay only what the client has not seen",
    ),
    Behaviour(
        "approvals",
        ("6.0.0",),
        "a call can wait for an approval",
        "no approvals: their chunks are refused",
        "ask with a client tool, or decide on the server",
        "approval-asked",
    ),
    Behaviour(
        "approvals-on-the-wire",
        ("7.0.0",),
        "the server can announce a decision (`tool-approval-response`, `isAutomatic`)",
        "the decision is refused; `isAutomatic` is refused or ignored, so buttons are shown for nothing",
        "send the output or `tool-output-denied` and no request",
        "approval-refused-on-the-wire",
    ),
    Behaviour(
        "approval-signature-kept",
        ("6.0.221", "7.0.16"),
        "the signature of a request is sent back with the answer",
        "the answer loses it, and a server that signs refuses the call",
        "do not sign for such clients",
    ),
    Behaviour(
        "resend-tool-calls",
        ("5.0.0",),
        "`sendAutomaticallyWhen` asks a predicate whether the calls are complete",
        "`maxSteps` counts the rounds instead",
        _RESEND,
        "one/output-available",
    ),
    Behaviour(
        "resend-dynamic",
        ("5.0.2",),
        "dynamic calls count as calls before a resend",
        "only static calls count",
        _RESEND,
        "dynamic/output-available",
    ),
    Behaviour(
        "resend-errors",
        ("5.0.53",),
        "a failed call counts as finished before a resend",
        "a failed call stops the resend",
        _RESEND,
        "one/output-error",
    ),
    Behaviour(
        "resend-not-provider-executed",
        ("5.0.86",),
        "calls that the provider executed do not count before a resend",
        "they count: a message with nothing else is sent again and again",
        _RESEND,
        "provider/output-available",
    ),
    Behaviour(
        "resend-unfinished-text",
        ("5.0.270", "6.0.297", "7.0.121"),
        "unfinished text after the last call stops the resend",
        "text is not looked at",
        "end each text block",
        "then-text-streaming/output-available",
    ),
    Behaviour(
        "resend-preliminary",
        ("6.0.289", "7.0.107"),
        "a preliminary output is not an output",
        "a preliminary output counts as finished, and the chat sends too early",
        "no preliminary outputs",
        "preliminary",
    ),
    Behaviour(
        "resend-provider-approvals",
        ("6.0.158",),
        "answered approvals of provider-executed calls count",
        "provider-executed calls are not looked at, and their approval is never sent",
        _RESEND,
        "provider/approval-responded",
    ),
    Behaviour(
        "resend-denied",
        ("6.0.270", "7.0.83"),
        "a denied call counts as settled beside an answered approval",
        "it stops the resend",
        _RESEND,
        "two/approval-responded+output-denied",
    ),
    Behaviour(
        "answer-sends-once",
        ("7.0.135",),
        "a second answer to the same approval sends nothing",
        "every answer asks the resend predicate again",
        "count a decision once on the server",
    ),
    Behaviour(
        "output-clears-approval",
        ("7.0.126",),
        "`addToolOutput` drops an approval that was not granted",
        "the approval stays on the part",
        "read the state before the approval",
    ),
    Behaviour(
        "empty-assistant-message",
        ("5.0.213", "6.0.226", "7.0.27"),
        "a stored assistant message may have no part",
        "validation refuses the history",
        "do not store empty messages",
        side="server",
    ),
    Behaviour(
        "unavailable-tools-become-dynamic",
        ("5.0.250", "6.0.271", "7.0.83"),
        "finished calls of tools that are gone become `dynamic-tool` parts when a history is validated",
        "they pass as they are, or the history is refused",
        "keep retired tools in the list that validates",
        side="server",
    ),
    Behaviour(
        "undefined-output-is-null",
        ("6.0.208",),
        "an `undefined` output is sent as null",
        "the key is missing, and clients with zod 4.4 or newer refuse the chunk",
        "return null",
        side="server",
    ),
    Behaviour(
        "errors-are-masked",
        ("5.0.200", "6.0.203"),
        "error text is `An error occurred.` unless `onError` says otherwise",
        "the real text is sent",
        "give `onError`",
        side="server",
    ),
    Behaviour(
        "tool-errors-are-shown",
        ("7.0.171",),
        "the error text of a tool is sent as it is (`redactToolErrors` masks it)",
        "it is masked like any other, or everything is sent",
        "give `onError`",
        side="server",
    ),
    Behaviour(
        "automatic-denial-is-sent",
        ("7.0.102",),
        "a denial by policy sends `tool-output-denied` in the same stream",
        "the call stays answered without an output",
        "send `tool-output-denied` after the response",
        side="server",
    ),
    Behaviour(
        "keep-alive",
        ("5.0.270", "6.0.297", "7.0.123"),
        "an idle stream can carry SSE comments",
        "an idle stream is silent and proxies may cut it",
        "set the proxy's timeout",
        side="server",
    ),
    Behaviour(
        "typed-client-errors",
        ("7.0.100",),
        "a failed request gives AI_APICallError with status and body",
        "a plain Error with the body as its text",
        "read the message",
    ),
    Behaviour(
        "resume-address-encoded",
        ("7.0.122",),
        "the chat id in the resume address is percent-encoded",
        "it is put there as it is",
        "ids of letters, digits and dashes",
    ),
    Behaviour(
        "data-schemas-apply",
        ("7.0.160",),
        "`dataPartSchemas` check streamed data parts by name",
        "they are looked up by the full type and never found",
        "check data in `onData`",
    ),
)
"""Every change of behaviour that is known. Add a row; what asks for it by name finds it."""

_BY_NAME = {behaviour.name: behaviour for behaviour in BEHAVIOURS}


def named(name: str) -> Behaviour:
    """The row of that name. Raises: `KeyError` when there is none."""
    return _BY_NAME[name]


def has(name: str, release: Release) -> bool:
    """Whether a release behaves so. Raises: `KeyError` for a name that has no row."""
    return Life(named(name).since).holds(release)
