"use strict";
// Builds the page from the report's data. Text only ever enters as text: nothing here parses markup.
(() => {
  const {make, texts, isPicture, isNumber, count, decimal} = elements;
  const {percent} = drawing;
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const page = document.getElementById("report");
  const kFirstRows = 50;

  const filled = (value) =>
      (Array.isArray(value) ? value.length > 0 :
                              value !== null && typeof value === "object" && Object.keys(value).length > 0);
  const rowsOf = (number) => `${count(number)} ${number === 1 ? "row" : "rows"}`;

  function chart(section, id, label, kind, draw) {
    const canvas = make("canvas", {id, role: "img", "aria-label": label});
    section.append(make("div", {class: "chart " + kind}, canvas));
    draw(canvas);
  }

  function pairs(entries, caption) {
    const table = make("table", {class: "pairs"});
    for (const [key, value] of entries) {
      table.append(make("tr", {}, make("th", {scope: "row"}, key), make("td", {}, value)));
    }
    const box = make("div", {class: "scroll"}, table);
    return caption ? make("div", {}, make("h3", {}, caption), box) : box;
  }

  // A section appears where its data is; a part that can't be drawn does not take the others with it.
  function section(id, data, heading, how, fill) {
    if (!filled(data)) return;
    const element = make("section", {id});
    if (heading) element.append(make("h2", {}, heading));
    if (how) element.append(make("p", {class: "how"}, how));
    page.append(element);
    try {
      fill(element, data);
    } catch (error) {
      console.error(error);
      element.append(make("p", {class: "note"}, "This part can't be shown: " + error.message));
    }
  }

  function exampleRow(row) {
    const item = make("li");
    const name = String(row.id);
    if (isPicture(row.image)) {
      item.append(make("img", {src: row.image, alt: name}));
    }
    item.append(make("span", {class: "id"}, name));
    if (isNumber(row.score)) item.append(make("span", {class: "score"}, "score " + decimal(row.score)));
    return item;
  }

  function exampleRows(data) {
    const rows = make("ul", {class: "rows"}, ...data.map(exampleRow));
    rows.classList.toggle("plain", rows.querySelector("img") === null);
    return rows;
  }

  function kinds(element, data) {
    for (const kind of data) {
      element.append(make("h3", {}, `Kind ${kind.name}, ${rowsOf(kind.rows)}`));
      element.append(exampleRows(kind.typical || []));
    }
  }

  const limited = (share) => 100 * Math.min(1, Math.max(0, share));

  function shareBar(group) {
    const bar = make("div", {class: "bar", "aria-hidden": "true"});
    if (isNumber(group.share)) {
      const fill = make("span", {class: "fill"});
      fill.style.width = limited(group.share) + "%";
      bar.append(fill);
    }
    if (isNumber(group.low) && isNumber(group.high)) {
      const interval = make("span", {class: "interval"});
      interval.style.left = limited(group.low) + "%";
      interval.style.width = limited(group.high) - limited(group.low) + "%";
      bar.append(interval);
    }
    return bar;
  }

  function groupRow(group) {
    const interval =
        isNumber(group.low) && isNumber(group.high) ? `${percent(group.low)} to ${percent(group.high)}` : "";
    return make(
        "tr",
        {},
        make("th", {scope: "row"}, group.value === null ? "(null)" : group.value),
        make("td", {class: "number"}, percent(group.share)),
        make("td", {class: "bar-cell"}, shareBar(group)),
        make("td", {class: "number"}, interval),
        make("td", {class: "number"}, count(group.dropped)),
        make("td", {class: "number"}, count(group.rows)),
    );
  }

  function groupTable(element, {columns, rows}) {
    const heading = (text, attributes = {}) => make("th", {scope: "col", ...attributes}, text);
    const number = {class: "number"};
    const body = make("tbody", {}, ...rows.slice(0, kFirstRows).map(groupRow));
    const head = make(
        "tr", {}, heading(columns), heading("share", number), make("td"), heading("interval", number),
        heading("dropped", number), heading("rows", number));
    element.append(make("h3", {}, "By " + columns));
    element.append(
        make("div", {class: "scroll"}, make("table", {class: "groups"}, make("thead", {}, head), body)));
    if (rows.length <= kFirstRows) return;
    const button = make("button", {type: "button"}, `Show all ${count(rows.length)}`);
    button.addEventListener("click", () => {
      body.append(...rows.slice(kFirstRows).map(groupRow));
      button.remove();
    });
    element.append(button);
  }

  function plane(element, data) {
    const picked = make("p", {class: "picked", "aria-live": "polite"}, "Point at a row to see its id.");
    const onPick = (point) => {
      picked.replaceChildren(
          String(point.id), `, ${point.kind}`,
          isNumber(point.score) ? `, score ${decimal(point.score)}` : "");
    };
    const label = `${
        rowsOf(
            data.points.length)} as points in two directions of their embeddings: trusted, kept and dropped`;
    chart(element, "plane-chart", label, "tall", (canvas) => charts.plane(canvas, data, onPick));
    element.append(picked);
    if (data.note) element.append(make("p", {class: "note"}, data.note));
  }

  function history(element, data) {
    chart(
        element, "history-share-chart", "The share of shifted rows, batch by batch, with its interval", "low",
        (canvas) => charts.historyShare(canvas, data));
    if (!data.some((batch) => batch.evidence > 0)) return;
    chart(
        element, "history-evidence-chart", "The evidence of a shift, batch by batch, and the evidence needed",
        "low", (canvas) => charts.historyEvidence(canvas, data, report.evidence_needed));
  }

  function bytes(value) {
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
    return `${decimal(value / 1000 ** power)} ${units[power]}`;
  }

  function making(element, {settings, versions, seconds, memory}) {
    const plain = (value) =>
        (value !== null && typeof value === "object" ? JSON.stringify(value) : String(value));
    const words = (object) => Object.entries(object).map(([key, value]) => [key, plain(value)]);
    const columns = make("div", {class: "columns"});
    if (filled(settings)) columns.append(pairs(words(settings), "Settings"));
    if (filled(versions)) columns.append(pairs(words(versions), "Versions"));
    const duration = (value) => (isNumber(value) ? decimal(value) + " s" : "–");
    const cost = Object.entries(seconds || {}).map(([stage, value]) => [stage, duration(value)]);
    if (isNumber(memory)) cost.push(["peak memory", bytes(memory)]);
    if (cost.length > 0) columns.append(pairs(cost, "Time and memory"));
    element.append(columns);
  }

  function build() {
    const title = String(report.title || "spuna report");
    document.title = title;
    page.append(make("h1", {}, title));
    if (report.subtitle) page.append(make("div", {class: "subtitle"}, report.subtitle));
    page.append(
        make("div", {id: "summary"}, ...texts(report.summary).map((sentence) => make("p", {}, sentence))));

    section(
        "warnings", report.warnings, "Please note", null,
        (element, data) =>
            element.append(make("ul", {}, ...texts(data).map((sentence) => make("li", {}, sentence)))));
    section("facts", report.facts, null, null, (element, data) => element.append(pairs(data)));
    section(
        "history", report.history, "Batch after batch",
        "Above, the estimated share of shifted rows with its interval; below, the evidence of a shift, " +
            "which is found where the evidence crosses the dashed line. Triangles are batches with a finding.",
        history);
    const hasTrusted = filled(report.scores) && Array.isArray(report.scores.trusted);
    section(
        "scores", report.scores, "Scores",
        hasTrusted ?
            "Rows of the pool stand above the line and trusted rows hang below, each as shares of their own " +
                "total: trusted rows should lie at the left, and what lies right of the threshold is dropped." :
            "The rows that were scored, as shares of their total: what lies right of the threshold is dropped.",
        (element, data) => chart(
            element, "scores-chart",
            hasTrusted ? "Histogram of scores: pool above, trusted rows below" : "Histogram of the scores of all rows",
            "",
            (canvas) => charts.scores(canvas, data)));
    section(
        "plane", report.plane, "Rows in a plane",
        "Each point is a row, and dropped rows should lie apart from trusted ones. A click in the legend " +
            "hides a group.",
        plane);
    section(
        "kinds", report.kinds, "Kinds of shifted rows",
        "Dropped rows that resemble each other, the largest kind first, each with rows that are typical " +
            "of it.",
        kinds);
    section(
        "highest", report.highest, "Dropped rows of highest score",
        "What the model is most sure of, the highest score first.",
        (element, data) => element.append(exampleRows(data)));
    section(
        "groups", report.groups, "Where it happens",
        "The share of dropped rows in each group, the most affected first; the thin line is the interval " +
            "around it.",
        (element, data) => data.forEach((grouping) => groupTable(element, grouping)));
    section(
        "reliability", report.reliability, "Can the scores be taken at their word?",
        "On the dashed line a score of 30% means that 30% of such rows are shifted; below the line scores " +
            "are too high, above it too low. Larger dots are more rows.",
        (element, data) => chart(
            element, "reliability-chart", "Mean score against the actual share of shifted rows", "square",
            (canvas) => charts.reliability(canvas, data)));
    section(
        "rounds", report.rounds, "Labeling, round by round",
        "Bars are rows labeled clean and shifted in each round; lines are the estimated share of right " +
            "labels, and a falling line means that the labeling goes astray.",
        (element, data) => chart(
            element, "rounds-chart", "Rows labeled in each round, and the estimated purity of their labels",
            "", (canvas) => charts.labeling(canvas, data)));
    section(
        "entropy", report.entropy, "When the labeling stopped",
        "The entropy grows while new kinds of shifted rows are found; the labeling stops when it no " +
            "longer does, or when no rows are left.",
        (element, data) => chart(
            element, "entropy-chart", "Spectral entropy after each round, with the stop marked", "low",
            (canvas) => charts.entropy(canvas, data)));
    const {settings, versions, seconds, peak_memory_bytes: memory} = report;
    const made = filled(settings) || filled(versions) || filled(seconds) || isNumber(memory);
    section("making", made ? {settings, versions, seconds, memory} : null, "How this was made", null, making);
  }

  drawing.prepare();
  build();

  // Dark ink on white paper, whatever the screen shows. The class is for browsers that tell of
  // printing before they change the page's media.
  const printing = (now) => {
    document.documentElement.classList.toggle("printing", now);
    drawing.recolor();
  };
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
  for (const query of ["(prefers-color-scheme: dark)", "print"]) {
    matchMedia(query).addEventListener("change", drawing.recolor);
  }
})();
