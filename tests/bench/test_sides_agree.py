"""Both sides of the bench read the same in small streams: else its ratios would compare different work."""

from __future__ import annotations

import gc
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.bench import inputs, ours, peers

PEERS = Path(__file__).with_name("peers.mjs")


@pytest.fixture(autouse=True)
def unfrozen():
    """The bench takes its input out of the collector's sight; a test gives it back."""
    yield
    gc.unfreeze()


def peer(node: Path, *arguments: object) -> dict[str, Any]:
    command = [node, "--expose-gc", PEERS, *map(str, arguments)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["check"]


@pytest.mark.node
@pytest.mark.parametrize("language", inputs.WORDS)
def test_decoding(node, tmp_path, language):
    path = inputs.write_stream(tmp_path, "conversation", language, 300)
    expected = peer(node, "decode", path, 64)
    assert ours.decode(path, "64", "batch")["check"] == expected
    assert ours.decode(path, "1", "made")["check"] == expected
    assert peers.decode_httpx_sse(path, "64")["check"] == expected
    assert peers.decode_split(path, "64")["check"] == expected


@pytest.mark.node
@pytest.mark.parametrize(
    "source", [("text", 300), ("parts", 30), ("tools", 3), ("tool", "rows", 3_000), ("tool", "string", 3_000)], ids=str
)
def test_reducing(node, tmp_path, source):
    path = inputs.write_stream(tmp_path, *source)
    expected = peer(node, "reader", path)
    assert ours.reduce(path, "dropped")["check"] == ours.reduce(path, "kept")["check"] == expected
    assert ours.replay(path, "64")["check"] == peer(node, "replay", path, 64)
    assert ours.reduce_memory(path)["check"]["last"] == expected["last"]


@pytest.mark.node
def test_unfinished_json(node, tmp_path):
    path = inputs.write_document(tmp_path, "rows", 3_000)
    assert ours.read_partial(path)["check"] == peer(node, "partial", path)
