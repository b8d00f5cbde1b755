"use strict";
// Leads a person through the rows of a review: one at a time, by keys or buttons, then the end.
(() => {
  const {make, texts, count} = elements;
  const review = JSON.parse(document.getElementById("review-data").textContent);
  const rows = Array.isArray(review.rows) ? review.rows : [];
  const answered = Array.isArray(review.answered) ? review.answered : [];
  const columns = texts(review.columns);
  const kMostOpen = 60;
  const kWords = {shifted: "Shifted", clean: "Clean", unsure: "Unsure"};
  const byId = (id) => document.getElementById(id);
  const rowsOf = (number) => `${count(number)} ${number === 1 ? "row" : "rows"}`;
  const say = (sentence) => {
    byId("said").textContent = sentence;
  };
  let areKeysOn = true;
  let isRevealed = false;

  const given = marks.open(rows, String(review.key ?? ""), () => {
    const problem = byId("problem");
    problem.hidden = false;
    problem.textContent =
        "This browser does not keep your answers: they are lost when you close or reload this page. " +
        "Save them to a file before you leave.";
  });
  const numAnswered = () => rows.length - given.open().length;
  const isAtEnd = () => given.position >= rows.length;

  // --- what is seen

  function drawProgress() {
    const bar = byId("progress");
    const parts = marks.kVerdicts.map((verdict) => {
      const part = make("span", {class: verdict});
      part.style.width = (100 * given.count(verdict)) / Math.max(1, rows.length) + "%";
      return part;
    });
    bar.replaceChildren(...parts);
    bar.setAttribute("aria-valuemax", rows.length);
    bar.setAttribute("aria-valuenow", numAnswered());
    bar.setAttribute("aria-valuetext", `${count(numAnswered())} of ${rowsOf(rows.length)} answered`);
    const counts = marks.kVerdicts.map((verdict) => [verdict, given.count(verdict)]);
    counts.push(["open", given.open().length]);
    const said = counts.map(([name, number]) => `${count(number)} ${name}`).join(", ");
    // A screen reader speaks of every change, so only of real ones.
    if (byId("counts").textContent !== said) {
      byId("counts").replaceChildren(...counts.flatMap(([name, number], i) => [
        make("span", {class: name}, `${count(number)} ${name}`), ...(i < counts.length - 1 ? [", "] : [])
      ]));
    }
    const isEmpty = numAnswered() === 0;
    const unsaved = isEmpty ? "" : "All answers are saved to a file.";
    byId("unsaved").textContent = given.isUnsaved() ? "Not saved to a file yet." : unsaved;
  }

  function drawRow() {
    const number = given.position;
    byId("place").textContent = `${count(number + 1)} of ${count(rows.length)}`;
    rowView.show(rows[number]);
    isRevealed = given.verdict(number) !== null;
    rowView.reveal(isRevealed);
    for (const button of byId("verdicts").children) {
      button.setAttribute("aria-pressed", String(button.dataset.do === given.verdict(number)));
    }
  }

  function drawEnd() {
    const open = given.open();
    const isDone = open.length === 0;
    byId("end-title").textContent = isDone ? "All rows are answered" : "You are at the end";
    if (rows.length === 0) byId("end-title").textContent = "There are no rows to look at";
    byId("totals").replaceChildren(...marks.kVerdicts.map(
        (verdict) =>
            make("div", {class: verdict}, make("dt", {}, kWords[verdict]), make("dd", {}, count(given.count(verdict))))));
    byId("open-part").hidden = isDone;
    byId("open-title").textContent = open.length === 1 ? "1 row is still open" : `${rowsOf(open.length)} are still open`;
    const items = open.slice(0, kMostOpen).map((number) => {
      const label = `Row ${count(number + 1)}, ${rowView.idOf(rows[number])}`;
      const button = make("button", {type: "button", "aria-label": label}, count(number + 1));
      button.addEventListener("click", () => go(number));
      return make("li", {}, button);
    });
    if (open.length > kMostOpen) items.push(make("li", {}, `and ${count(open.length - kMostOpen)} more`));
    byId("open").replaceChildren(...items);
    const more = answered.length === 0 ? "" : ` ${rowsOf(answered.length)} answered before you are saved with them.`;
    byId("end-note").textContent = "The file has the rows that you answered; open rows are left out." + more;
  }

  // Draws all that depends on marks and position. Focus moves only where its place is gone.
  function draw() {
    const wasAtEnd = byId("row").hidden;
    byId("row").hidden = isAtEnd();
    byId("verdicts").hidden = isAtEnd();
    byId("end").hidden = !isAtEnd();
    drawProgress();
    if (isAtEnd()) drawEnd();
    else drawRow();
    return wasAtEnd !== isAtEnd();
  }

  function go(to) {
    given.move(to);
    const isOtherView = draw();
    const view = isAtEnd() ? byId("end") : byId("row");
    if (isOtherView) view.querySelector("h2").focus({preventScroll: true});
    const top = view.getBoundingClientRect().top;
    if (top < 0) scrollBy({top, behavior: "instant"});
    if (!isAtEnd()) liftOverAnswers();
  }

  // Lifts a row that the answers cover, as far as the progress stays in sight.
  function liftOverAnswers() {
    const covered = byId("pair").getBoundingClientRect().bottom - byId("actions").getBoundingClientRect().top;
    const room = byId("progress").getBoundingClientRect().top;
    const top = Math.min(covered, room);
    if (top > 0) scrollBy({top, behavior: "instant"});
  }

  // --- what a person does

  function mark(verdict) {
    if (isAtEnd()) return;
    const number = given.position;
    given.set(number, verdict);
    byId("about").open = false;
    go(number + 1);
    const next = isAtEnd() ? "That was the last row." : `Now row ${count(number + 2)} of ${count(rows.length)}.`;
    say(`${rowView.idOf(rows[number])}: ${verdict}. ${next}`);
  }

  function move(step) {
    const to = given.position + step;
    if (to < 0) return say("This is the first row.");
    if (to > rows.length) return say("This is the end.");
    go(to);
    return say(isAtEnd() ? "This is the end." : `Row ${count(to + 1)} of ${count(rows.length)}.`);
  }

  function undo() {
    const number = given.undo();
    if (number === null) return say("There is nothing to undo.");
    go(number);
    return say(`${rowView.idOf(rows[number])}: ${given.verdict(number) || "open"} again.`);
  }

  function save(name, type, write) {
    const marked = rows.flatMap((row, i) => {
      const verdict = given.verdict(i);
      return verdict === null ? [] : [{...row, verdict}];
    });
    const all = [...marked, ...answered];
    if (all.length === 0) return say("There is nothing to save yet: no row is answered.");
    savedFile.download(name, type, write(columns, all));
    given.setSaved();
    drawProgress();
    return say(`${rowsOf(all.length)} saved to ${name}.`);
  }

  const actions = {
    shifted: () => mark("shifted"),
    clean: () => mark("clean"),
    unsure: () => mark("unsure"),
    back: () => move(-1),
    forward: () => move(1),
    undo,
    "save-csv": () => save("review.csv", "text/csv;charset=utf-8", savedFile.csv),
    "save-json": () => save("review.jsonl", "application/jsonl;charset=utf-8", savedFile.jsonLines),
    "show-score": () => {
      isRevealed = !isRevealed;
      rowView.reveal(isRevealed);
    },
    keys: () => {
      areKeysOn = !areKeysOn;
      byId("keys-switch").setAttribute("aria-pressed", String(areKeysOn));
      byId("keys-switch").textContent = areKeysOn ? "Keys are on" : "Keys are off";
    },
  };
  const kKeys = new Map([
    ["s", "shifted"], ["c", "clean"], ["u", "unsure"], ["b", "back"], ["z", "undo"], ["arrowleft", "back"],
    ["arrowright", "forward"]
  ]);

  // The letter of a key. Keyboards of other scripts have the Latin letters in the same places.
  function letterOf(event) {
    const isLatin = /^[ -~]+$/.test(event.key);
    return (isLatin ? event.key : event.code.replace(/^Key/, "")).toLowerCase();
  }

  function onKey(event) {
    if (!areKeysOn || event.defaultPrevented || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const action = kKeys.get(letterOf(event));
    if (action === undefined) return;
    event.preventDefault();
    // A key that is held down must not answer row after row.
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    actions[action]();
  }

  function build() {
    const title = String(review.title || "spuna review");
    document.title = title;
    byId("title").textContent = title;
    byId("subtitle").textContent = review.subtitle ?? "";
    const about = texts(review.about);
    byId("about").hidden = about.length === 0;
    byId("about").open = numAnswered() === 0;
    byId("about-text").append(...about.map((sentence) => make("p", {}, sentence)));
    byId("next").textContent = review.next ?? "";
    byId("next-part").hidden = byId("next").textContent === "";
    for (const button of document.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", actions[button.dataset.do]);
    }
    document.addEventListener("keydown", onKey);
    addEventListener("beforeunload", (event) => {
      if (!given.isUnsaved()) return;
      event.preventDefault();
      event.returnValue = "";
    });
    given.follow(draw);
    byId("review").hidden = false;
    draw();
  }

  build();
})();
