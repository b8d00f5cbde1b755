"use strict";
// What the charts of a report share: colors, numbers in words, marked lines, axes.
const drawing = (() => {
  const {isNumber} = elements;
  // Colors are looked up whenever a chart is drawn, so that it can follow the page from light to
  // dark and to paper.
  const palette = {};
  const color = (name) => () => palette[name];

  function readPalette() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["paper", "ink", "soft", "line", "trusted", "kept", "shifted", "shifted-band"]) {
      palette[name] = style.getPropertyValue("--" + name).trim();
    }
  }

  const isPowerOfTen = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  const percent = (value) => {
    if (!isNumber(value)) return "–";
    const digits = value !== 0 && Math.abs(value) < 0.0995 ? 1 : 0;
    return (100 * value).toLocaleString("en-US", {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits
    }) + "%";
  };
  const percentTick = (value) =>
      (100 * Math.abs(value)).toLocaleString("en-US", {maximumSignificantDigits: 3}) + "%";
  // Text on a canvas does not wrap: what is too long loses its middle.
  function shorten(text, most) {
    const letters = Array.from(text);
    if (letters.length <= most) return text;
    const half = Math.floor((most - 1) / 2);
    return letters.slice(0, half).join("") + "…" + letters.slice(-half).join("");
  }

  // Straight lines with a word beside them, as thresholds are: {axis: "x" or "y", value, text}.
  const markedLines = {
    id: "markedLines",
    afterDatasetsDraw(chart, _args, options) {
      const {ctx, chartArea: area, scales} = chart;
      for (const line of options.lines || []) {
        const at = scales[line.axis].getPixelForValue(line.value);
        const [low, high] = line.axis === "x" ? [area.left, area.right] : [area.top, area.bottom];
        if (!isNumber(at) || at < low - 1 || at > high + 1) continue;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = palette.ink;
        ctx.lineWidth = 1.5;
        ctx.setLineDash([5, 4]);
        ctx.beginPath();
        if (line.axis === "x") {
          ctx.moveTo(at, area.top);
          ctx.lineTo(at, area.bottom);
        } else {
          ctx.moveTo(area.left, at);
          ctx.lineTo(area.right, at);
        }
        ctx.stroke();
        ctx.font = "600 12px " + Chart.defaults.font.family;
        // The word stands on the side where there is room, on a ground that keeps it readable.
        const width = ctx.measureText(line.text).width;
        let left = area.left + 6;
        let middle = at - 10 < area.top + 8 ? at + 10 : at - 10;
        if (line.axis === "x") {
          left = at + 6 + width > area.right ? Math.max(area.left, at - 6 - width) : at + 6;
          middle = area.top + 10;
        }
        ctx.globalAlpha = 0.8;
        ctx.fillStyle = palette.paper;
        ctx.fillRect(left - 3, middle - 8, width + 6, 16);
        ctx.globalAlpha = 1;
        ctx.fillStyle = palette.ink;
        ctx.textBaseline = "middle";
        ctx.fillText(line.text, left, middle);
        ctx.restore();
      }
    },
  };

  function prepare() {
    readPalette();
    Chart.register(markedLines);
    const defaults = Chart.defaults;
    defaults.animation = false;
    defaults.maintainAspectRatio = false;
    defaults.color = color("soft");
    defaults.borderColor = color("line");
    defaults.font.family = getComputedStyle(document.body).fontFamily;
    defaults.font.size = 12;
    defaults.elements.line.borderWidth = 2;
    defaults.plugins.legend.align = "start";
    Object.assign(
        defaults.plugins.legend.labels,
        {color: color("ink"), usePointStyle: true, boxHeight: 7, padding: 14});
    Object.assign(defaults.plugins.tooltip, {
      backgroundColor: color("ink"),
      titleColor: color("paper"),
      bodyColor: color("paper"),
      footerColor: color("paper"),
      padding: 10,
      cornerRadius: 3,
      usePointStyle: true,
      boxPadding: 5,
      multiKeyBackground: "transparent",
    });
  }

  // Draws all charts again in the page's colors.
  function recolor() {
    readPalette();
    for (const chart of Object.values(Chart.instances)) chart.update("none");
  }

  const axis = (text, more = {}) =>
      ({...more, title: {display: true, text: shorten(String(text), 40), color: color("soft")}});
  const shares = (text, more = {}) =>
      axis(text, {min: 0, ...more, ticks: {callback: percentTick, maxTicksLimit: 7}});
  const rounds = () => axis("round", {grid: {display: false}});

  return {
    palette,
    color,
    prepare,
    recolor,
    isPowerOfTen,
    percent,
    percentTick,
    shorten,
    axis,
    shares,
    rounds
  };
})();
