"""The instructor's pages in Chromium: what axe finds, what is cut, what they ask the network for."""

import pytest
from accessibility import IN_CHROMIUM, grave_findings
from test_report import five
from test_similar import ten

from grading.class_report import report_page
from grading.similar import alike_in_class, similar_page

pytestmark = IN_CHROMIUM


def report():
    return report_page("ex02", five())


def similar():
    pair = {name: answers for name, answers in ten().items() if name in "aA"}
    return similar_page("ex02", pair, *alike_in_class("ex02", pair))


@pytest.fixture(scope="module", params=[report, similar], ids=lambda make: make.__name__)
def address(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "page.html"
    path.write_text(request.param(), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave(page, address, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    assert grave_findings(page) == []


@pytest.mark.parametrize("width", [800, 1280])
def test_the_page_needs_no_sideways_scrolling_and_no_network(page, address, width):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
