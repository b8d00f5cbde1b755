"use strict";
// Shows one row beside its nearest trusted row, with its nearest rows below. What could sway the
// person, the score, the reason and the distances, is apart and stays hidden until it is asked for.
const rowView = (() => {
  const {make, isPicture, isNumber, decimal} = elements;
  const kTinyPixels = 96;
  const isFilled = (text) => text !== null && text !== undefined && text !== "";
  const idOf = (row) => (isFilled(row.id) ? String(row.id) : "no id");

  function picture(uri, alt) {
    const image = make("img", {src: uri, alt});
    // Few pixels are shown as they are; smoothed they would be a blur.
    image.addEventListener("load", () => {
      image.classList.toggle("tiny", Math.max(image.naturalWidth, image.naturalHeight) <= kTinyPixels);
    });
    return image;
  }

  function table(values) {
    const lines = values.map(
        ([name, text]) => make("tr", {}, make("th", {scope: "row"}, name), make("td", {}, text ?? "")));
    return make("table", {}, ...lines);
  }

  // A box that scrolls by itself must be within reach of the keyboard.
  const box = (kind, label, content) =>
      make("div", {class: "box " + kind, tabindex: "0", role: "group", "aria-label": label}, content);

  // What there is to see of a row: its picture and its text, else its values.
  function look(row, label) {
    const parts = [];
    if (isPicture(row.picture)) parts.push(picture(row.picture, label));
    if (isFilled(row.text)) parts.push(box("text", label, row.text));
    const values = Array.isArray(row.values) ? row.values.filter(Array.isArray) : [];
    if (parts.length === 0 && values.length > 0) parts.push(box("values", label, table(values)));
    if (parts.length === 0) parts.push(make("p", {class: "box nothing"}, "Only its id is known."));
    return parts;
  }

  const distanceOf = (value) => make("span", {class: "distance"}, "distance " + decimal(value));

  function figure(row, kind, title, distance) {
    const caption = make("figcaption", {}, make("strong", {}, title), make("span", {class: "id"}, idOf(row)));
    if (isNumber(distance)) caption.append(distanceOf(distance));
    return make("figure", {class: kind}, caption, ...look(row, `${title}, ${idOf(row)}`));
  }

  function neighbor(row) {
    const item = make("li", {}, ...look(row, idOf(row)), make("span", {class: "id"}, idOf(row)));
    for (const one of item.querySelectorAll("[tabindex]")) one.removeAttribute("tabindex");
    if (isNumber(row.distance)) item.append(distanceOf(row.distance));
    return item;
  }

  // What the program knows of the row, as [name, text].
  function known(row) {
    const facts = [["Score", isNumber(row.score) ? decimal(row.score) : "none"]];
    if (typeof row.keep === "boolean") facts.push(["Decision", row.keep ? "keep" : "drop"]);
    if (isFilled(row.why)) facts.push(["Why it was chosen", row.why]);
    if (isFilled(row.file)) facts.push(["File", row.file]);
    if (isFilled(row.row)) facts.push(["Row of the file", row.row]);
    return facts;
  }

  const byId = (id) => document.getElementById(id);
  const isObject = (value) => value !== null && typeof value === "object";

  function show(row) {
    const trusted = isObject(row.nearest_trusted) ? row.nearest_trusted : null;
    const figures = [figure(row, "this", "This row")];
    if (trusted) {
      const distance = row.nearest_trusted_distance ?? trusted.distance;
      figures.push(figure(trusted, "trusted", "Nearest trusted row", distance));
    }
    byId("pair").replaceChildren(...figures);
    byId("pair").classList.toggle("pictures", figures.every((one) => one.querySelector(":scope > img")));
    const neighbors = (Array.isArray(row.neighbors) ? row.neighbors : []).filter(isObject);
    byId("neighbors").replaceChildren(...neighbors.map(neighbor));
    byId("neighbors-part").hidden = neighbors.length === 0;
    byId("known").replaceChildren(
        ...known(row).map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
  }

  // Shows what could sway the person, or hides it.
  function reveal(isShown) {
    byId("known").hidden = !isShown;
    byId("row").classList.toggle("revealed", isShown);
    byId("show-score").setAttribute("aria-expanded", String(isShown));
    byId("show-score").textContent = isShown ? "Hide score" : "Show score";
  }

  return {show, reveal, idOf};
})();
