"""Chunks to messages.

Stage: between the stream and everything that shows it. `MessageReducer.feed(chunk)` says what a chunk changed, and
`snapshot()` keeps the message of that moment; `read_ui_message_stream(chunks)` is the two for a whole stream.
"""

from aisdk_lab.reducer.changes import MESSAGE, Change, ChangeOp, Path, UIMessageStreamError
from aisdk_lab.reducer.message_reducer import MessageReducer, Reset
from aisdk_lab.reducer.snapshot import Snapshot
from aisdk_lab.reducer.stream import ErrorChunk, read_ui_message_stream

__all__ = [
    "MESSAGE",
    "Change",
    "ChangeOp",
    "ErrorChunk",
    "MessageReducer",
    "Path",
    "Reset",
    "Snapshot",
    "UIMessageStreamError",
    "read_ui_message_stream",
]
