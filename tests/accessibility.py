"""What tests of pages share: they need Chromium; what axe says about a page."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import CHROMIUM

GRAVE = {"serious", "critical"}
IN_CHROMIUM = [
    pytest.mark.browser,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        CHROMIUM is None, reason="no chromium here; install it, on Debian: apt-get install chromium"
    ),
]


def grave_findings(page, **options):
    """What axe finds that keeps somebody from reading a page: the rule and the first place, as text."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False, **options})
    grave = [rule for rule in found.response["violations"] if rule["impact"] in GRAVE]
    return [f"{rule['id']} at {rule['nodes'][0]['target']}" for rule in grave]
