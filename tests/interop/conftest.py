"""The real client under Node, as one function."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
LIMIT_S = 40
"""Above the 20 s after which drive.mjs itself says what it waits for."""


@pytest.fixture
def drive(node) -> Callable[..., dict[str, Any]]:
    """`drive(api=…, door=…, steps=[…], …)`: runs the scenario (see drive.mjs) and gives what the client saw."""

    def run(**scenario: Any) -> dict[str, Any]:
        scenario = {"door": "ai-sdk", "threadId": "thread-1", "sendAutomaticallyWhen": "either"} | scenario
        result = subprocess.run(
            [node, "drive.mjs"],
            cwd=HERE,
            input=json.dumps(scenario),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.node)
