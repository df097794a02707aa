"""The viewer's page and the feed from Python: what a browser is served is what the program sent."""

from __future__ import annotations

import base64
import http.client
import json
import urllib.parse
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grbda
import numpy as np
import pytest
from conftest import ROBOTS, files_of
from numpy.testing import assert_array_equal


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
    monkeypatch.setattr(webbrowser, "open", opened.append)
    files = files_of("digit_leg")
    path = grbda.view(files, floating_base=True)
    assert opened == [Path(path).as_uri()]
    page = slot(Path(path).read_text())
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
        assert grbda.view(model, q, output=output, open=False) == str(output)
        page = slot(output.read_text())
        assert_array_equal(numbers(page["q"]), q)
        text = base64.b64decode(page["files"][0]["base64"]).decode()
        read = grbda.load_text(text)
        assert [body.joint for body in read.bodies] == [body.joint for body in model.bodies]
        assert [body.q for body in read.bodies] == [body.q for body in model.bodies]
        assert not page["options"]["spherical"] and not page["options"]["floating"]


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
