"""The viewer: its address, its pages and its messages. Only the loopback address is spoken to."""

import urllib.error
import urllib.request

import pytest

import gradbody as gb


def test_a_model_is_shown_until_it_is_closed(tmp_path):
    model = gb.load("pendulum2")
    with gb.view(model, paused=True) as shown:
        assert shown.url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(shown.url, timeout=20) as answer:
            assert "gradbodyView(" in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(shown.url.split("?")[0], timeout=20)
        assert shown.url in shown._repr_html_()
    assert "closed" in repr(shown)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(shown.url, timeout=20)


def test_a_page_is_saved(tmp_path):
    page = gb.view("pendulum2", save=tmp_path / "page.html", time=0.5, gradient=True)
    assert isinstance(page, gb.Page)
    assert "gradbodyView(" in page.path.read_text()
    assert page._repr_html_().startswith("<iframe srcdoc=")


def test_what_cannot_be_shown_is_said_in_a_line(tmp_path):
    for what, said in [("antt", "ant"), (tmp_path, "no fit, no plan and no policy")]:
        with pytest.raises(gb.GradbodyError, match=said):
            gb.view(what)
    with pytest.raises(gb.GradbodyError, match="--model"):
        (tmp_path / "run.csv").write_text("t,q:x\n0,0\n")
        gb.view(tmp_path / "run.csv")
