"""What axe says about a page in the browser."""

from axe_playwright_python.sync_playwright import Axe

GRAVE = {"serious", "critical"}


def grave_findings(page, part=None, **options):
    """What axe finds that keeps somebody from reading a page or a part of it: rules and first places."""
    found = Axe().run(page, part, options={"resultTypes": ["violations"], "preload": False, **options})
    grave = [rule for rule in found.response["violations"] if rule["impact"] in GRAVE]
    return [f"{rule['id']} at {rule['nodes'][0]['target']}" for rule in grave]
