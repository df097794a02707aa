"""The viewer's page and the feed from Python: what a browser is served is what the program sent."""

from __future__ import annotations

import base64
import html
import http.client
import json
import re
import sys
import types
import urllib.parse
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grbda
import numpy as np
import pytest
from browser import Browser
from conftest import ROBOTS, files_of
from numpy.testing import assert_allclose, assert_array_equal


@pytest.fixture(autouse=True)
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A template that is a slot and the rule that forbids requests."""
    path = tmp_path / "template.html"
    path.write_text("default-src 'none'|/*ROBOT*/")
    monkeypatch.setenv("GRBDA_VIEW_TEMPLATE", str(path))
    return path


def slot(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.split("|", 1)[1])
    return found


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


def ask(url: str, path: str = "") -> http.client.HTTPResponse:
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.request("GET", parts.path + path)
    return connection.getresponse()


def events(response: http.client.HTTPResponse) -> Iterator[tuple[str, str]]:
    """Pairs of kind and data."""
    kind = "message"
    for line in response:
        name, _, value = line.decode().rstrip("\n").partition(":")
        if name == "event":
            kind = value.strip()
        if name == "data":
            yield kind, value


@pytest.fixture()
def feed() -> Iterator[grbda.ViewerFeed]:
    try:
        feed = grbda.ViewerFeed(grbda.load(files_of("four_bar")), values=["time", "energy"])
    except RuntimeError as error:
        assert "libcpp-httplib-dev" in str(error)
        pytest.skip("built without cpp-httplib")
    with feed:
        yield feed


def test_the_page_of_files_holds_them_and_opens(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) is None)  # type: ignore[func-returns-value]
    files = files_of("digit_leg")
    view = grbda.view(files, floating_base=True)
    assert opened == [Path(view).as_uri()] and view.opened
    assert repr(view) == f"<grbda.View of digit_leg: {view.path}, open in a browser>"
    page = slot(Path(view).read_text())
    assert page["main"] == ["digit_leg.urdf", "digit_leg.yaml"]
    assert base64.b64decode(page["files"][0]["base64"]) == Path(files[0]).read_bytes()
    assert page["options"]["floating"] is True
    assert "q" not in page


def test_the_page_of_a_model_holds_the_model_and_q(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("open=False opened a browser"))
    output = tmp_path / "robot.html"
    for name in ROBOTS:
        model = grbda.load(files_of(name), spherical_joints=True, floating_base=name in ("digit_leg", "delta"))
        q = grbda.neutral_configuration(model)
        view = grbda.view(model, q, output=output, open=False)
        assert (view.path, view.robot, view.opened) == (str(output), model.name, False)
        page = slot(output.read_text())
        assert_array_equal(numbers(page["q"]), q)
        text = base64.b64decode(page["files"][0]["base64"]).decode()
        read = grbda.load_text(text)
        assert [body.joint for body in read.bodies] == [body.joint for body in model.bodies]
        assert [body.q for body in read.bodies] == [body.q for body in model.bodies]
        assert not page["options"]["spherical"] and not page["options"]["floating"]


def trajectory(model: grbda.Model, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Times, and configurations in which the loops are closed."""
    data, q = grbda.Data(model), grbda.neutral_configuration(model)
    times = np.linspace(0, 1, frames)
    return times, np.array([grbda.integrate(model, data, q, 0.1 * np.sin(t) * np.ones(model.nv)) for t in times])


def test_the_page_of_a_trajectory_holds_its_record(tmp_path: Path) -> None:
    for name in ROBOTS:
        model = grbda.load(files_of(name), spherical_joints=True)
        page = slot(Path(grbda.view(model, [grbda.neutral_configuration(model)], times=[0], open=False)).read_text())
        assert json.loads(page["record"])["columns"] == ["time", *(f"q:{name}" for name in page["coordinates"])]
        assert len(page["coordinates"]) == model.nq
    model = grbda.load(files_of("delta"), floating_base=True)
    times, rows = trajectory(model, 5)
    view = grbda.view(model, rows, times=times, open=False, output=tmp_path / "a.html")
    assert view.frames == 5 and "5 configurations" in repr(view)
    record = json.loads(slot(Path(view).read_text())["record"])
    assert_array_equal(record["rows"], np.column_stack([times, rows]))
    of_files = grbda.view(files_of("delta"), rows, times=times, open=False, floating_base=True)
    assert json.loads(slot(Path(of_files).read_text())["record"]) == record


def test_a_notebook_shows_the_page_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("a notebook opened a browser"))
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    view = grbda.view(files_of("four_bar"), height=345)
    found = re.fullmatch(r'<iframe title="four_bar" srcdoc="([^"]*)" width="100%" height="345".*></iframe>', view._repr_html_())
    assert found and html.unescape(found[1]) == Path(view).read_text()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    with pytest.raises(pytest.fail.Exception):
        grbda.view(files_of("four_bar"))  # a program that only imports IPython


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_a_line_names_the_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("a browser opened without a display"))
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    view = grbda.view(files_of("four_bar"))
    assert not view.opened
    assert capsys.readouterr().err == f"grbda.view: found no display or no browser; open this file in a browser: {view.path}\n"


def test_a_browser_replays_a_trajectory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opens the page itself, alone and in a notebook's frame."""
    monkeypatch.delenv("GRBDA_VIEW_TEMPLATE")
    model = grbda.load(files_of("four_bar"))
    times, rows = trajectory(model, 4)
    try:
        view = grbda.view(model, rows, times=times, open=False, output=tmp_path / "page.html")
    except RuntimeError as error:
        pytest.skip(str(error))
    (tmp_path / "notebook.html").write_text(view._repr_html_())
    replay = """grbda.ready.then(() => [0, 1, 2, 3].map((row) => {
        const slider = document.getElementById("replay");
        slider.value = row;
        slider.dispatchEvent(new Event("input"));
        return grbda.q();
    }))"""
    with Browser() as browser:
        assert_allclose(browser.evaluate(tmp_path / "page.html", replay), rows, atol=1e-12)
        framed = replay.replace("grbda", "frames[0].grbda").replace("document", "frames[0].document")
        assert_allclose(browser.evaluate(tmp_path / "notebook.html", framed), rows, atol=1e-12)


def test_what_the_page_cannot_show_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = files_of("four_bar")
    model = grbda.load(files)
    with pytest.raises(TypeError, match="a Model has the options"):
        grbda.view(model, open=False, floating_base=True)
    with pytest.raises(ValueError, match="q"):
        grbda.view(model, np.zeros(model.nq + 1), open=False)
    with pytest.raises(RuntimeError, match="nowhere.html: expected a file"):
        grbda.view(model, open=False, template=tmp_path / "nowhere.html")
    with pytest.raises(FileNotFoundError):
        grbda.view(model, open=False, output=tmp_path / "no folder" / "robot.html")
    times, rows = trajectory(model, 3)
    with pytest.raises(ValueError, match=r"q has 2 axes, expected \[nq\]; for a trajectory"):
        grbda.view(model, rows, open=False)
    with pytest.raises(ValueError, match=r"expected \[frames\] and \[frames, nq\]"):
        grbda.view(model, rows[:2], times=times, open=False)
    with pytest.raises(ValueError, match=f"expected .*nq = {model.nq}"):
        grbda.view(model, rows[:, 1:], times=times, open=False)
    with pytest.raises(ValueError, match="times must increase"):
        grbda.view(model, rows, times=[0, 1, 1], open=False)
    with pytest.raises(ValueError, match="NaN"):
        grbda.view(model, np.nan * rows, times=times, open=False)


def test_browsers_read_what_is_sent(feed: grbda.ViewerFeed) -> None:
    page = slot(ask(feed.url).read().decode())
    assert page["feed"] == {"values": ["time", "energy"]}
    assert ask(feed.url.rsplit("/", 2)[0] + "/").status == 403
    model = grbda.load_text(base64.b64decode(page["files"][0]["base64"]).decode())
    q = grbda.neutral_configuration(model)
    stream = events(ask(feed.url, "events"))
    for energy in (1.5, 2.5, 3.5):
        feed.send(q, [0.1, energy])
        kind, data = next(stream)
        assert kind == "message"
        assert_array_equal(numbers(data)[1:], [*q, 0.1, energy])
    assert feed.browsers == 1
    feed.send(q, [0.2, 4.5])
    feed.close()
    *_, (kind, data), (last, _) = stream
    assert (kind, last) == ("message", "end")
    assert numbers(data)[-1] == 4.5


def test_misuse_of_a_feed_is_refused(feed: grbda.ViewerFeed) -> None:
    q = grbda.neutral_configuration(grbda.load(files_of("four_bar")))
    with pytest.raises(ValueError, match="q"):
        feed.send(q[:-1], [0, 0])
    with pytest.raises(ValueError, match="values"):
        feed.send(q)
    port = urllib.parse.urlsplit(feed.url).port
    assert port is not None
    with pytest.raises(RuntimeError, match=f"{port} of 127.0.0.1 is in use"):
        grbda.ViewerFeed(files_of("four_bar"), port=port)
    with pytest.raises(ValueError, match="0 to 65535"):
        grbda.ViewerFeed(files_of("four_bar"), port=-1)
    feed.close()
    feed.close()
    with pytest.raises(ValueError, match="closed"):
        feed.send(q, [0, 0])
