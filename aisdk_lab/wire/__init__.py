"""Bytes to frames and back: no clock, no socket, no asyncio."""

from __future__ import annotations

from aisdk_lab.wire.frame import DONE, Frame
from aisdk_lab.wire.json_lines import JsonLinesDecoder
from aisdk_lab.wire.sse import DONE_FRAME, SseDecoder, encode_comment, encode_sse

__all__ = ["DONE", "DONE_FRAME", "Frame", "JsonLinesDecoder", "SseDecoder", "encode_comment", "encode_sse"]
