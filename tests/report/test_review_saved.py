"""The files that a person saves have what was marked, whatever the ids are."""

import pytest
from review_support import AWKWARD, COLUMNS, VERDICTS, as_csv, review, row, saved_row


def verdict_of(number: int) -> str:
    return VERDICTS[number % 3]


def test_any_id_comes_back_from_csv_and_json_lines(person):
    rows = [row(n, id=text, file=text, why=text) for n, text in enumerate(AWKWARD)]
    person.open(review(rows))
    person.mark(*(verdict_of(n) for n in range(len(rows))))
    expected = [saved_row(shown, verdict_of(n)) for n, shown in enumerate(rows)]
    assert person.saved_json() == expected
    assert person.saved_csv() == [as_csv(one) for one in expected]
    assert person.browser.log() == []


def test_the_text_of_csv(person):
    rows = [
        row(1, id='a "b", c', score=0.5, why=None, probability=None),
        row(2, id="", score=None, why=" x", row=None, probability=1e-9),
    ]
    person.open(review(rows))
    person.mark("shifted", "unsure")
    assert person.save() == (
        "id,file,row,score,why,drawn,probability,input,verdict\r\n"
        '"a ""b"", c",lake/part-0.parquet,1,0.5,,near,,pool,shifted\r\n'
        '"",lake/part-0.parquet,,," x",near,1e-9,pool,unsure\r\n'
    )


def test_the_text_of_json_lines(person):
    person.open(review([row(1, why=None)], columns=["verdict", "7", "id", "why", "__proto__"]))
    person.mark("clean")
    assert person.save("save-json") == '{"verdict": "clean", "7": null, "id": "img-1", "why": null, "__proto__": null}\n'


@pytest.mark.parametrize("columns", [["verdict"], ["id", "verdict", "keep"], ['a "b"', "id", "two\nlines"]])
def test_the_file_has_exactly_the_columns(person, columns):
    person.open(review(2, columns=columns))
    person.mark("clean")
    (saved,) = person.saved_csv()
    assert list(saved) == columns
    (saved,) = person.saved_json()
    assert list(saved) == columns
    values = {"verdict": "clean", "id": "img-0", "keep": True}
    assert saved == {column: values.get(column) for column in columns}


def test_only_answered_rows_are_saved_and_those_answered_before(person):
    before = [row(20, verdict="shifted"), row(21, verdict="clean", score=None)]
    rows = [row(n) for n in range(4)]
    person.open(review(rows, answered=before))
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 4 open"
    expected = [saved_row(shown, shown["verdict"]) for shown in before]
    assert person.saved_json() == expected
    person.press("s", "z")
    person.mark("clean", "unsure")
    expected = [saved_row(rows[0], "clean"), saved_row(rows[1], "unsure"), *expected]
    assert person.saved_json() == expected
    assert person.saved_csv() == [as_csv(one) for one in expected]
    assert person.said == "4 rows saved to review.csv."


def test_a_row_of_its_own_verdict_is_open_until_it_is_marked(person):
    person.open(review([row(0, verdict="shifted"), row(1)]))
    assert person.counts == "0 shifted, 0 clean, 0 unsure, 2 open"
    person.mark("clean")
    assert [saved["verdict"] for saved in person.saved_json()] == ["clean"]


def test_the_buttons_at_the_end_save_the_same(person):
    person.open(review(2))
    person.mark("shifted", "clean")
    assert person.save("save-csv", "#end") == person.save("save-csv", "header")
    assert person.save("save-json", "#end") == person.save("save-json", "header")


def test_nothing_answered_is_nothing_to_save(person):
    person.open(review(2))
    person.click("save-csv")
    assert person.said == "There is nothing to save yet: no row is answered."
    assert list(person.folder.glob("review.csv")) == []


def test_leaving_warns_while_marks_are_not_in_a_file(person):
    person.open(review(4))
    assert not person.warned_on_leaving()
    person.press("b")
    assert not person.warned_on_leaving()
    person.mark("shifted")
    assert person.warned_on_leaving()
    assert person.text("#unsaved") == "Not saved to a file yet."
    person.press("z")
    assert not person.warned_on_leaving()  # as it was at first
    person.mark("shifted")
    person.save()
    assert not person.warned_on_leaving()
    assert person.text("#unsaved") == "All answers are saved to a file."
    person.again()
    assert not person.warned_on_leaving()
    person.mark("clean")
    assert person.warned_on_leaving()
    person.save("save-json")
    assert not person.warned_on_leaving()
    person.press("b", "c")
    assert not person.warned_on_leaving()  # the same answer again
    person.press("b", "u")
    assert person.warned_on_leaving()
    person.again()
    assert person.warned_on_leaving()


def test_large_numbers_and_truth_values_keep_their_value(person):
    shown = row(3, row=2**53 - 1, score=0.1 + 0.2, probability=1e300)
    person.open(review([shown], columns=[*COLUMNS, "keep"]))
    person.mark("shifted")
    (saved,) = person.saved_json()
    assert saved == saved_row(shown, "shifted") | {"keep": False}
    (saved,) = person.saved_csv()
    assert saved["keep"] == "false"
    assert (int(saved["row"]), float(saved["score"]), float(saved["probability"])) == (2**53 - 1, 0.1 + 0.2, 1e300)
