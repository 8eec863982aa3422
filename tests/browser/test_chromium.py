"""A browser that is not there is said: a failure in CI, a skip with a reason elsewhere."""

from __future__ import annotations

import pytest

from tests.browser import chromium


def test_a_chosen_browser_that_does_not_exist_is_not_replaced_by_another(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    assert chromium.find() is None
    assert "CHROMIUM=" in chromium.missing()


@pytest.mark.parametrize(("ci", "status"), [("true", 1), ("", 0)])
def test_a_missing_browser_fails_the_install_step_in_ci_only(monkeypatch, tmp_path, ci, status, capsys):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    monkeypatch.setenv("CI", ci)
    assert chromium.install() == status
    assert ("will be skipped" in capsys.readouterr().out) == (status == 0)


def test_without_a_choice_the_first_name_on_path_counts(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "apt-get install chromium" in chromium.missing()
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert chromium.find() == str(program)
