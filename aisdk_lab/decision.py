"""The user's answer to a waiting tool call, on its way down.

Stage: between the pixels and a run. The sidebar, a `useChat` page and curl all end up here; a run accepts a decision
only for a call that its ledger shows waiting (design/decisions §4, kept in the README).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

DecisionKind = Literal["approved", "denied", "output", "error"]


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to one waiting call.

    `value` is the output of a client tool or the text of its error; `reason` is what the person wrote beside an
    approval or denial; `input` is the tool input that the person saw, `None` where the door does not carry it.
    """

    tool_call_id: str
    kind: DecisionKind
    approval_id: str | None = None
    value: Any = None  # any JSON value: what a client tool returned
    reason: str | None = None
    input: Any = None  # any JSON value: the tool input that was shown
    operation_id: str | None = None
