"""What axe says about a page in the browser."""

from axe_playwright_python.sync_playwright import Axe

GRAVE = {"serious", "critical"}


def grave_findings(page, **options):
    """What axe finds that keeps somebody from reading a page: the rule and the first place, as text."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False, **options})
    grave = [rule for rule in found.response["violations"] if rule["impact"] in GRAVE]
    return [f"{rule['id']} at {rule['nodes'][0]['target']}" for rule in grave]
