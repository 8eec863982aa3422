"""The widget's bundle is committed, so that `pip install` needs no Node; it is what the sources give."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.node import PACKAGES, ROOT

WIDGET = PACKAGES[0]
STATIC = ROOT / "aisdk_lab" / "widget" / "static"
REBUILD = """
import { build } from "esbuild";
import { options } from "./build.mjs";
await build({ ...options, outfile: OUTFILE });
"""


@pytest.mark.node
def test_the_sources_give_the_committed_bundle_byte_for_byte(node, tmp_path):
    built = tmp_path / "sidebar.js"
    script = REBUILD.replace("OUTFILE", json.dumps(str(built)))
    subprocess.run([node, "--input-type=module", "-e", script], cwd=WIDGET, check=True)
    assert built.read_bytes() == (STATIC / "sidebar.js").read_bytes(), "sources and bundle differ: run 'make bundle'"


def test_the_bundle_is_one_module_without_a_source_map_or_a_path_of_the_machine():
    bundle = (STATIC / "sidebar.js").read_text("utf-8")
    assert "sourceMappingURL" not in bundle
    assert str(ROOT) not in bundle
    assert sorted(path.name for path in STATIC.iterdir() if path.suffix in (".js", ".css", ".map")) == ["sidebar.js"]
