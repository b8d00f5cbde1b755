"use strict";
// What the scripts of all pages share: elements, numbers in words, what may be shown. Text only ever
// enters as text: nothing here parses markup.
const elements = (() => {
  // make("td", {class: "number"}, "text", child, …): an element; children are nodes or text.
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.map((child) => (child instanceof Node ? child : String(child))));
    return element;
  }

  const texts = (value) => (Array.isArray(value) ? value : []).map(String);
  // Only pictures that are part of the data: the page asks nobody for anything.
  const isPicture = (value) => typeof value === "string" && value.startsWith("data:image/");

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
  const count = (value) => (isNumber(value) ? value.toLocaleString("en-US") : "–");
  const decimal = (value) => {
    if (!isNumber(value)) return "–";
    if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4))
      return value.toExponential(2).replace(/\.?0+e\+?/, "e").replace("e+", "e");
    return value.toLocaleString("en-US", {maximumSignificantDigits: 3});
  };

  return {make, texts, isPicture, isNumber, count, decimal};
})();
