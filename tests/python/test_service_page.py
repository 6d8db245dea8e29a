"""The page at `/` in a real browser: it shows what the service does, and what a submission wrote stays text."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from cli import needs_binary
from serve_process import ANSWER_S, ServeProcess, serving
from test_service import submission

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [needs_binary, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")]

HOSTILE = "<img src=x onerror=document.title='owned'>"


def browse(server: ServeProcess, profile: Path, *options: str, fragment: str = "") -> bytes:
    """What the browser prints once the page has been open for a few (virtual) seconds."""
    command = [str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--virtual-time-budget=5000"]
    ended = subprocess.run([*command, *options, f"{server.url}/{fragment}"], capture_output=True, timeout=ANSWER_S, check=True)
    return ended.stdout


def test_shows_what_goes_on(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "2", "--fake-hold", "1ms", "--drain", "0s") as server:
        own = {"name": HOSTILE, "source": "class Model: pass"}
        for problem in ("level1/relu", own):
            server.ask("POST", "/v1/evaluations?wait=60", submission(problem=problem, run=HOSTILE))
        html = browse(server, tmp_path / "profile", "--dump-dom", fragment=f"#token={server.token}").decode()
        assert "<b style=\"color:var(--ink)\">2</b>done" in html and ">level1/relu</td>" in html and "fake:1" in html
        assert "&lt;img src=x" in html and "<img" not in html and "<title>kgym</title>" in html


def test_asks_for_a_token(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1") as server:
        html = browse(server, tmp_path / "profile", "--dump-dom").decode()
        assert "a token is asked for" in html and '<section id="gate" class="wide">' in html


@pytest.mark.parametrize("size", ["1300,900", "500,900"])
def test_a_picture_of_it(tmp_path: Path, size: str) -> None:
    with serving(tmp_path, "--fake-lanes", "2", "--fake-hold", "1ms") as server:
        server.ask("POST", "/v1/evaluations?wait=60", submission())
        picture = tmp_path / "page.png"
        browse(server, tmp_path / "profile", f"--window-size={size}", f"--screenshot={picture}", fragment=f"#token={server.token}")
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 10_000
