"use strict";
// The verdicts of a person on the rows of a review, kept in the browser's storage.
const marks = (() => {
  const kVerdicts = ["shifted", "clean", "unsure"];

  // A name for each row, the same whenever the page is opened. Rows may share file, number and id.
  function namesOf(rows) {
    const seen = new Map();
    return rows.map((row) => {
      const name = JSON.stringify([row.file, row.row, row.id]);
      const times = (seen.get(name) || 0) + 1;
      seen.set(name, times);
      return times === 1 ? name : `${name} ${times}`;
    });
  }

  // Marks of these rows. `onProblem` is called once, when the browser does not keep them.
  function open(rows, key, onProblem) {
    const place = "spuna review " + key;
    const names = namesOf(rows);
    const verdicts = rows.map(() => null);
    const steps = [];
    let position = 0;
    let saved = "";
    let isKept = true;

    // All verdicts as one text, to compare with what was saved.
    const state = () => (verdicts.some(Boolean) ? JSON.stringify(verdicts) : "");

    function attempt(action) {
      try {
        return action();
      } catch (error) {
        if (isKept) onProblem(error);
        isKept = false;
        return null;
      }
    }

    function keep() {
      const pairs = names.map((name, i) => [name, verdicts[i]]).filter(([, verdict]) => verdict);
      const stored = JSON.stringify({position, saved, marks: pairs});
      attempt(() => localStorage.setItem(place, stored));
    }

    function read() {
      const text = attempt(() => localStorage.getItem(place));
      let stored = {};
      try {
        stored = JSON.parse(text) || {};
      } catch (error) {
        // Not ours: start anew.
      }
      const known = new Map(Array.isArray(stored.marks) ? stored.marks : []);
      names.forEach((name, i) => {
        const verdict = known.get(name);
        verdicts[i] = kVerdicts.includes(verdict) ? verdict : null;
      });
      saved = typeof stored.saved === "string" ? stored.saved : "";
      const last = Number.isInteger(stored.position) ? stored.position : 0;
      position = Math.min(rows.length, Math.max(0, last));
      steps.length = 0;
    }

    read();
    return {
      get position() {
        return position;
      },
      verdict: (i) => verdicts[i],
      move(to) {
        position = Math.min(rows.length, Math.max(0, to));
        keep();
      },
      set(i, verdict) {
        if (verdicts[i] === verdict) return;
        steps.push({i, before: verdicts[i]});
        verdicts[i] = verdict;
        keep();
      },
      // Takes the last change back; the number of its row, or null.
      undo() {
        if (steps.length === 0) return null;
        const {i, before} = steps.pop();
        verdicts[i] = before;
        keep();
        return i;
      },
      count: (verdict) => verdicts.filter((one) => one === verdict).length,
      open: () => verdicts.flatMap((verdict, i) => (verdict === null ? [i] : [])),
      isUnsaved: () => state() !== saved,
      setSaved() {
        saved = state();
        keep();
      },
      // Another tab may have the same review open: its marks are these marks.
      follow(onChange) {
        addEventListener("storage", (event) => {
          if (event.key !== place) return;
          const here = position;
          read();
          position = here;
          onChange();
        });
      },
    };
  }

  return {open, kVerdicts};
})();
