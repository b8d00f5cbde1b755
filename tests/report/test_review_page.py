"""A person goes through a review: keys, buttons, back, undo, reload, the end."""

import pytest
from review_support import KEYS, VERDICTS, other, review, row
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from support import HOSTILE

MODIFIERS = [Keys.CONTROL, Keys.ALT, Keys.META, Keys.SHIFT]


def test_the_first_row_is_shown(person):
    person.open(review(5))
    assert person.browser.driver.title == "spuna review"
    assert person.text("h1") == "spuna review"
    assert person.text("#subtitle") == "lake/, 1,500 rows"
    assert person.browser.texts("#about p") == ["Does each row belong to the trusted ones?", "Answer by what you see."]
    assert person.place == "1 of 5"
    assert person.browser.texts("figcaption strong") == ["This row", "Nearest trusted row"]
    assert person.browser.texts("figcaption .id") == ["img-0", "trusted-0"]
    assert person.browser.texts("#neighbors .id") == [f"near-0-{n}" for n in range(1, 5)]
    assert len(person.browser.all("#pair img")) == 2
    assert len(person.browser.all("#neighbors img")) == 4
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 5 open"
    assert person.sees("#keys")
    assert not person.sees("#end")
    assert person.browser.log() == []


@pytest.mark.parametrize("way", ["key", "button"])
@pytest.mark.parametrize("verdict", VERDICTS)
def test_an_answer_counts_and_leads_to_the_next_row(person, verdict, way):
    person.open(review(5))
    person.press(KEYS[verdict]) if way == "key" else person.click(verdict)
    assert person.place == "2 of 5"
    assert person.id == "img-1"
    assert person.pressed == []
    assert f"1 {verdict}" in person.counts and "4 open" in person.counts
    assert person.said == f"img-0: {verdict}. Now row 2 of 5."
    person.press("b")
    assert person.pressed == [verdict]


@pytest.mark.parametrize("back", ["b", Keys.ARROW_LEFT, "button"])
def test_back_and_forward_change_no_answer(person, back):
    person.open(review(3))
    person.mark("shifted")
    person.press(back) if back != "button" else person.click("back")
    assert person.place == "1 of 3"
    person.press(Keys.ARROW_RIGHT) if back != "button" else person.click("forward")
    assert person.place == "2 of 3"
    assert person.counts == "1 shifted, 0 clean, 0 unsure, 2 open"
    person.press("b", "b", "b")
    assert person.place == "1 of 3"
    assert person.said == "This is the first row."


def test_an_answer_can_be_changed(person):
    person.open(review(3))
    person.mark("shifted")
    person.press("b", "c")
    assert person.place == "2 of 3"
    assert person.counts == "0 shifted, 1 clean, 0 unsure, 2 open"


@pytest.mark.parametrize("way", ["key", "button"])
def test_undo_takes_back_answer_after_answer(person, way):
    def undo():
        person.press("z") if way == "key" else person.click("undo")

    person.open(review(4))
    person.mark("shifted", "clean")
    person.press("b", "u")
    assert person.counts == "1 shifted, 0 clean, 1 unsure, 2 open"
    undo()
    assert (person.place, person.pressed) == ("2 of 4", ["clean"])
    assert person.said == "img-1: clean again."
    undo()
    assert (person.place, person.pressed) == ("2 of 4", [])
    assert person.said == "img-1: open again."
    undo()
    assert (person.place, person.counts) == ("1 of 4", "0 shifted, 0 clean, 0 unsure, 4 open")
    undo()
    assert person.said == "There is nothing to undo."


def test_the_score_is_hidden_until_asked_for_or_answered(person):
    person.open(review(3))
    hidden = ["#known", ".distance"]
    assert not any(person.sees(part) for part in hidden)
    assert person.text("#show-score") == "Show score"
    person.click("show-score")
    assert all(person.sees(part) for part in hidden)
    assert person.browser.texts("#known dt") == ["Score", "Decision", "Why it was chosen", "File", "Row of the file"]
    assert person.browser.texts("#known dd") == ["0.91", "keep", "score near the threshold", "lake/part-0.parquet", "0"]
    person.mark("clean")
    assert not any(person.sees(part) for part in hidden)  # the next row starts hidden again
    person.press("b")
    assert all(person.sees(part) for part in hidden)
    person.press("z")
    assert not any(person.sees(part) for part in hidden)


def test_keys_with_a_modifier_do_nothing(person):
    person.open(review(3))
    for modifier in MODIFIERS:
        for key in ("u", "z", "b"):
            ActionChains(person.browser.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 3 open"
    assert person.said == ""


def test_keys_in_an_input_do_nothing(person):
    person.open(review(3))
    person.browser.run("document.body.append(document.createElement('input')); document.querySelector('input').focus()")
    person.press("s", "c", "u")
    assert person.place == "1 of 3"
    assert person.browser.run("return document.querySelector('input').value") == "scu"


def test_a_key_held_down_answers_one_row(person):
    person.open(review(5))
    for repeat in (False, True, True):
        person.browser.command("Input.dispatchKeyEvent", type="keyDown", key="s", code="KeyS", autoRepeat=repeat)
    assert person.place == "2 of 5"


def test_keys_work_with_other_scripts_and_capitals(person):
    person.open(review(5))
    for key, code in (("ы", "KeyS"), ("S", "KeyS"), ("с", "KeyC")):
        person.browser.command("Input.dispatchKeyEvent", type="keyDown", key=key, code=code)
    assert person.counts == "2 shifted, 1 clean, 0 unsure, 2 open"


def test_keys_can_be_turned_off(person):
    person.open(review(3))
    person.click("keys")
    person.press("s")
    assert (person.place, person.text("#keys-switch")) == ("1 of 3", "Keys are off")
    person.click("keys")
    person.press("s")
    assert (person.place, person.text("#keys-switch")) == ("2 of 3", "Keys are on")


def test_a_reload_keeps_answers_and_place(person):
    person.open(review(5))
    person.mark("shifted", "clean", "unsure")
    person.press("b")
    person.again()
    assert person.place == "3 of 5"
    assert person.counts == "1 shifted, 1 clean, 1 unsure, 2 open"
    assert person.pressed == ["unsure"]
    person.press("b", "b")
    assert person.pressed == ["shifted"]


def test_another_key_has_answers_of_its_own(person):
    person.open(review(5, key="one"))
    person.mark("shifted")
    person.open(review(5, key="two"), fresh=False)
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 5 open"
    person.mark("clean", "clean")
    person.open(review(5, key="one"), fresh=False)
    assert person.counts == "1 shifted, 0 clean, 0 unsure, 4 open"


def test_answers_belong_to_rows_not_to_places(person):
    rows = [row(number) for number in range(4)]
    person.open(review(rows))
    person.mark("shifted", "clean")
    person.open(review([*reversed(rows), row(9)]), fresh=False)
    assert person.counts == "1 shifted, 1 clean, 0 unsure, 3 open"
    person.press(Keys.ARROW_RIGHT)
    assert (person.id, person.pressed) == ("img-0", ["shifted"])


def test_rows_that_are_the_same_have_answers_of_their_own(person):
    person.open(review([row(1), row(1), row(1)]))
    person.mark("shifted", "clean", "unsure")
    person.again()
    assert person.counts == "1 shifted, 1 clean, 1 unsure, 0 open"


@pytest.mark.parametrize("stored", ["", "no JSON", "[]", "7", '{"marks": 3}', '{"marks": [["a", "b"]], "position": "x"}'])
def test_what_is_not_ours_in_the_storage_does_no_harm(person, stored):
    person.open(review(3))
    person.browser.run("localStorage.setItem('spuna review test', arguments[0])", stored)
    person.again()
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 3 open"
    assert person.browser.log() == []


@pytest.mark.parametrize(
    "harm",
    [
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('denied') }})",
        "Storage.prototype.setItem = () => { throw new Error('full') }",
    ],
)
def test_without_storage_the_page_says_so_and_goes_on(person, harm):
    person.open(review(3))
    assert not person.sees("#problem")
    script = person.browser.command("Page.addScriptToEvaluateOnNewDocument", source=harm)
    try:
        person.again()
        person.mark("shifted")
        assert person.sees("#problem")
        assert person.text("#problem").startswith("This browser does not keep your answers")
        person.mark("clean")
        assert person.counts == "1 shifted, 1 clean, 0 unsure, 1 open"
    finally:
        person.browser.command("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


def test_the_end_has_counts_open_rows_and_the_next_command(person):
    person.open(review(4, answered=[row(9, verdict="clean")]))
    person.mark("shifted")
    person.press(Keys.ARROW_RIGHT)
    person.mark("clean")
    person.press(Keys.ARROW_RIGHT)
    assert person.sees("#end") and not person.sees("#row") and not person.sees("#verdicts")
    assert person.text("#end-title") == "You are at the end"
    assert person.browser.texts("#totals dd") == ["1", "1", "0"]
    assert person.text("#open-title") == "2 rows are still open"
    assert person.browser.texts("#open button") == ["2", "4"]
    assert person.text("#end-note").endswith("1 row answered before you are saved with them.")
    assert person.text("#next") == "spuna check review.csv --model model.safetensors"
    assert person.browser.run("return document.activeElement.id") == "end-title"
    person.mark("shifted")
    assert person.counts == "1 shifted, 1 clean, 0 unsure, 2 open"  # there is no row to answer
    person.browser.all("#open button")[1].click()
    assert person.place == "4 of 4"
    assert person.browser.run("return document.activeElement.id") == "place"
    person.mark("unsure")
    assert person.browser.texts("#open button") == ["2"]
    assert person.text("#open-title") == "1 row is still open"
    person.press("b")
    assert person.place == "4 of 4"


def test_all_answered(person):
    person.open(review(2, next=None))
    person.mark("shifted", "clean")
    assert person.text("#end-title") == "All rows are answered"
    assert person.said == "img-1: clean. That was the last row."
    assert not person.sees("#open-part") and not person.sees("#next-part")
    person.again()
    assert person.sees("#end")


def test_a_review_without_rows(person):
    person.open(review(0, about=None, subtitle=None))
    assert person.text("#end-title") == "There are no rows to look at"
    person.press("s", "z", "b", Keys.ARROW_RIGHT)
    assert person.sees("#end")
    assert person.browser.log() == []


def test_a_row_shows_what_there_is(person):
    rows = [
        row(0, picture=None, text="a text\nin lines", nearest_trusted=other("t", text="trusted text")),
        row(1, picture=None, nearest_trusted=other("t", values=[["day", "Friday"]]), neighbors=None),
        {"id": "alone"},
        {"id": None, "picture": None, "text": None, "values": None, "neighbors": [None], "nearest_trusted": None},
        row(4, text="a text below"),
        row(5, nearest_trusted={"id": "t"}, neighbors=[{"id": "n"}]),
    ]
    person.open(review(rows))
    forward = Keys.ARROW_RIGHT
    assert person.browser.texts("#pair .text") == ["a text\nin lines", "trusted text"]
    person.press(forward)
    assert person.browser.texts("#pair td") == ["3", "Monday", "Friday"]
    assert not person.sees("#neighbors-part")
    person.press(forward)
    assert person.browser.texts("#pair figure") == ["This rowaloneOnly its id is known."]
    person.press(forward)
    assert person.id == "no id"
    person.press(forward)
    assert len(person.browser.all(".this img")) == 1 and person.text(".this .text") == "a text below"
    person.press(forward)
    assert person.text(".trusted .nothing") == "Only its id is known."
    assert person.browser.log() == []


def test_hostile_texts_are_only_text(person):
    every = " ".join(HOSTILE)
    rows = [
        row(n, id=text, file=text, why=text, picture=text, text=text, neighbors=[other(text, picture=text, text=text)],
            nearest_trusted=other(text, picture=text, values=[[text, text]]))
        for n, text in enumerate(HOSTILE)
    ]  # fmt: skip
    page = person.open(review(rows, title=every, subtitle=every, about=HOSTILE, next=every, key=every))
    for text in HOSTILE:
        assert person.id == text
        assert person.browser.texts("#pair .text") == [text]
        assert person.browser.texts("#pair table > tr > *") == [text, text]
        assert person.browser.all("main img, main script, main b") == []
        person.mark("shifted")
        assert person.said.startswith(f"{text}: shifted.")
    assert person.text("#next") == every
    assert person.browser.texts("#about p") == HOSTILE
    person.again()
    assert person.counts == f"{len(HOSTILE)} shifted, 0 clean, 0 unsure, 0 open"
    assert person.browser.run("return typeof window.harmed") == "undefined"
    assert person.browser.requests() == [page.as_uri()]
    assert person.browser.log() == []


def test_nothing_is_asked_of_the_network(person):
    page = person.open(review(3))
    person.mark("shifted", "clean", "unsure")
    assert person.browser.requests() == [page.as_uri()]
