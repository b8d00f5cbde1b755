"use strict";
// The file that a person saves: marked rows as CSV (RFC 4180) or as JSON lines.
const savedFile = (() => {
  const valueOf = (row, column) => (Object.hasOwn(row, column) ? row[column] ?? null : null);
  const textOf = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

  // Null is an empty field; an empty text is quoted, and so is what a reader could cut or take apart.
  function field(value) {
    if (value === null) return "";
    const text = textOf(value);
    const isPlain = text !== "" && text === text.trim() && !/[",\r\n]/.test(text);
    return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
  }

  function csv(columns, rows) {
    const lines = rows.map((row) => columns.map((column) => field(valueOf(row, column))));
    return [columns.map(field), ...lines].map((line) => line.join(",") + "\r\n").join("");
  }

  // Written part by part: an object would put columns that look like numbers first.
  function jsonLines(columns, rows) {
    const part = (row, column) => JSON.stringify(column) + ": " + JSON.stringify(valueOf(row, column));
    return rows.map((row) => `{${columns.map((column) => part(row, column)).join(", ")}}\n`).join("");
  }

  function download(name, type, text) {
    const address = URL.createObjectURL(new Blob([text], {type}));
    elements.make("a", {href: address, download: name}).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  return {csv, jsonLines, download};
})();
