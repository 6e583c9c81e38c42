"""``edgeworth desk`` writes the page, opens it when there is a browser, and says where it is."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

from command_line import call, refused
from edgeworth.desk.build import build


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a browser was asked to open."""
    addresses: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_the_page_is_written_and_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: list[str]
) -> None:
    result = call(tmp_path, capsys, "desk")
    page = tmp_path / "edgeworth-desk.html"
    assert result.stdout == "The desk is in edgeworth-desk.html\n"
    assert page.read_text(encoding="utf-8") == build()
    assert opened == [page.as_uri()]


def test_nothing_is_opened_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: list[str]
) -> None:
    call(tmp_path, capsys, "desk", "-o", "page.html", "--no-open")
    assert (tmp_path / "page.html").exists()
    assert opened == []
    assert call(tmp_path, capsys, "desk", "-o", "-").stdout == build()


def test_without_a_browser_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "No browser was found" in call(tmp_path, capsys, "desk").stdout


def test_a_folder_is_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "it is a folder" in refused(call(tmp_path, capsys, "desk", "-o", str(tmp_path)))
