import pytest
from review_support import Person
from support import Browser, full_report, hostile_report, minimal_report, points, render


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The pages of the reports, by name. Only to be read."""
    folder = tmp_path_factory.mktemp("pages")
    large = full_report()
    large["plane"]["points"] = points(5000)
    reports = {"full": full_report(), "minimal": minimal_report(), "hostile": hostile_report(), "large": large}
    return {name: render(report, folder, f"{name}.html") for name, report in reports.items()}


@pytest.fixture
def person(browser, tmp_path):
    return Person(browser, tmp_path)
