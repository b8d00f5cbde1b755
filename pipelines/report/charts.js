"use strict";
// The charts of a report. Each function fills a canvas with one part of the report's data.
const charts = (() => {
  const {isNumber, count, decimal} = elements;
  const {
    palette,
    color,
    isPowerOfTen,
    percent,
    percentTick,
    shorten,
    axis,
    shares,
    rounds
  } = drawing;

  // The pool stands above the axis and the trusted rows hang below, so that neither hides the other.
  function scores(canvas, data) {
    const centers = data.edges.slice(1).map((edge, bin) => (edge + data.edges[bin]) / 2);
    const hasThreshold = isNumber(data.threshold);
    const series = (counts, sign) => {
      const total = (counts || []).reduce((sum, value) => sum + value, 0) || 1;
      return centers.map((x, bin) => ({x, y: (sign * ((counts || [])[bin] || 0)) / total}));
    };
    const bars = {grouped: false, barPercentage: 1, categoryPercentage: 0.92, pointStyle: "rect"};
    const above = (context) => hasThreshold && centers[context.dataIndex] >= data.threshold;
    const datasets = [
      {
        ...bars,
        label: "pool",
        counts: data.pool,
        data: series(data.pool, 1),
        backgroundColor: (context) => palette[above(context) ? "shifted" : "kept"]
      },
      {
        ...bars,
        label: "trusted",
        counts: data.trusted,
        data: series(data.trusted, -1),
        backgroundColor: color("trusted")
      },
    ].filter((set) => Array.isArray(set.counts));
    const key = (text, name, index) => ({
      text,
      fillStyle: palette[name],
      strokeStyle: palette[name],
      fontColor: palette.ink,
      pointStyle: "rect",
      datasetIndex: index
    });
    return new Chart(canvas, {
      type: "bar",
      data: {datasets},
      options: {
        interaction: {mode: "index", axis: "x", intersect: false},
        scales: {
          x: axis("score", {
            type: "linear",
            offset: false,
            min: data.edges[0],
            max: data.edges[data.edges.length - 1],
            grid: {display: false, offset: false}
          }),
          y: axis("share of rows", {ticks: {callback: percentTick, maxTicksLimit: 9}}),
        },
        plugins: {
          markedLines: {
            lines: hasThreshold ?
                [{axis: "x", value: data.threshold, text: "threshold " + decimal(data.threshold)}] :
                []
          },
          // The pool's bars have two colors, which a legend of datasets can't say.
          legend: {
            onClick: null,
            labels: {
              generateLabels: (chart) => chart.data.datasets.flatMap((set, index) => {
                if (set.label !== "pool") return [key("trusted", "trusted", index)];
                if (!hasThreshold) return [key("pool", "kept", index)];
                return [key("pool, kept", "kept", index), key("pool, dropped", "shifted", index)];
              }),
            },
          },
          tooltip: {
            callbacks: {
              title: (items) => `score ${decimal(data.edges[items[0].dataIndex])} to ${
                  decimal(data.edges[items[0].dataIndex + 1])}`,
              label: (item) => ` ${item.dataset.label}: ${percent(Math.abs(item.parsed.y))}, ${
                  count(item.dataset.counts[item.dataIndex])} rows`,
            },
          },
        },
      },
    });
  }

  function reliability(canvas, data) {
    const bins = data.bins.filter((bin) => isNumber(bin.score) && isNumber(bin.shifted) && bin.rows !== 0);
    const most = Math.max(1, ...bins.map((bin) => bin.rows || 0));
    const unit = {type: "linear", min: 0, max: 1};
    return new Chart(canvas, {
      type: "line",
      data: {
        datasets: [
          {
            label: "rows of this score",
            data: bins.map((bin) => ({x: bin.score, y: bin.shifted, rows: bin.rows})),
            clip: false,
            borderColor: color("shifted"),
            backgroundColor: color("shifted"),
            pointHitRadius: 8,
            pointRadius: (context) => 3 + 6 * Math.sqrt(((context.raw && context.raw.rows) || 0) / most),
          },
          {
            label: "a score that is right",
            data: [{x: 0, y: 0}, {x: 1, y: 1}],
            borderColor: color("soft"),
            borderDash: [5, 4],
            borderWidth: 1.5,
            pointRadius: 0,
            pointHitRadius: 0,
            pointStyle: "line"
          },
        ],
      },
      options: {
        scales: {x: shares("mean score", unit), y: shares("actually shifted", unit)},
        plugins: {
          tooltip: {
            callbacks: {
              title: (items) => (isNumber(items[0].raw.rows) ? count(items[0].raw.rows) + " rows" : ""),
              label: (item) => ` score ${percent(item.parsed.x)}, shifted ${percent(item.parsed.y)}`,
            },
          },
        },
      },
    });
  }

  function entropy(canvas, data) {
    const labels = data.values.map((_, round) => String(round));
    const why = {entropy: "stop: entropy", exhausted: "stop: no rows left"}[data.stopped_by] || "stop";
    const stop = labels.indexOf(String(data.stop_round));
    return new Chart(canvas, {
      type: "line",
      data: {
        labels,
        datasets: [{
          label: "entropy",
          data: data.values,
          borderColor: color("shifted"),
          backgroundColor: color("shifted"),
          pointRadius: 3.5
        }]
      },
      options: {
        interaction: {mode: "index", intersect: false},
        scales: {x: {...rounds(), offset: true}, y: axis("spectral entropy", {grace: "10%"})},
        plugins: {
          legend: {display: false},
          markedLines: {lines: stop >= 0 ? [{axis: "x", value: stop, text: why}] : []},
          tooltip: {
            callbacks: {
              title: (items) => "round " + items[0].label,
              label: (item) => " entropy " + decimal(item.parsed.y)
            }
          },
        },
      },
    });
  }

  function labeling(canvas, data) {
    const column = (name) => data.map((round) => (isNumber(round[name]) ? round[name] : null));
    const bar = (label, name, hue) =>
        ({type: "bar", label, data: column(name), backgroundColor: color(hue), pointStyle: "rect", order: 2});
    const line = (label, name, hue, pointStyle) => ({
      type: "line",
      label,
      data: column(name),
      yAxisID: "purity",
      borderColor: color(hue),
      backgroundColor: color("paper"),
      pointStyle,
      pointRadius: 4.5,
      pointBorderWidth: 2,
      borderDash: [4, 3],
      clip: false,
      order: 1,
    });
    const purity = [
      line("purity, clean", "purity_clean", "trusted", "circle"),
      line("purity, shifted", "purity_shifted", "shifted", "triangle"),
    ].filter((set) => set.data.some(isNumber));
    const scales = {
      x: rounds(),
      y: axis("rows", {beginAtZero: true, ticks: {precision: 0, maxTicksLimit: 7}})
    };
    if (purity.length > 0)
      scales.purity =
          shares("purity (estimate)", {max: 1, position: "right", grid: {drawOnChartArea: false}});
    return new Chart(canvas, {
      data: {
        labels: data.map((round) => String(round.round)),
        datasets:
            [bar("labeled clean", "clean", "kept"), bar("labeled shifted", "shifted", "shifted"), ...purity],
      },
      options: {
        interaction: {mode: "index", intersect: false},
        scales,
        plugins: {
          tooltip: {
            callbacks: {
              title: (items) => "round " + items[0].label,
              label: (item) => ` ${item.dataset.label}: ${
                  item.dataset.type === "bar" ? count(item.parsed.y) : percent(item.parsed.y)}`,
            },
          },
        },
      },
    });
  }

  // `onPick` hears of the point under the pointer.
  function plane(canvas, data, onPick) {
    const many = data.points.length > 1500;
    const set = (kind, pointStyle, size) => ({
      label: kind,
      data: data.points.filter((point) => point.kind === kind),
      pointStyle,
      backgroundColor: () => palette[kind === "dropped" ? "shifted" : kind] + (many ? "b3" : ""),
      borderWidth: 0,
      pointRadius: many ? size - 1 : size,
      pointHoverRadius: size + 2,
      pointHitRadius: 2,
    });
    const shown = 4;
    return new Chart(canvas, {
      type: "scatter",
      data: {
        datasets: [
          set("dropped", "triangle", 4.5), set("trusted", "rect", 3.5), set("kept", "circle", 3)
        ].filter((one) => one.data.length > 0)
      },
      options: {
        interaction: {mode: "nearest", intersect: true},
        scales: {x: axis(data.x || ""), y: axis(data.y || "")},
        onHover: (_event, elements, chart) => {
          if (elements.length > 0)
            onPick(chart.data.datasets[elements[0].datasetIndex].data[elements[0].index]);
        },
        plugins: {
          tooltip: {
            filter: (_item, index) => index < shown,
            callbacks: {
              label: (item) => {
                const score = isNumber(item.raw.score) ? ", score " + decimal(item.raw.score) : "";
                return ` ${
                    shorten(
                        String(item.raw.id),
                        Math.max(16, Math.floor(item.chart.width / 9) - 8))} (${item.dataset.label}${score})`;
              },
              footer: (items) => (items.length === shown ? "and maybe more at the same place" : ""),
            },
          },
        },
      },
    });
  }

  const time = (batch) => (batch.time ? String(batch.time).replace("T", " ") : "");
  const batches = () => axis("batch", {grid: {display: false}, ticks: {maxRotation: 0, autoSkipPadding: 16}});
  const dots = (data) => ({
    pointRadius: (context) =>
        ((data[context.dataIndex] || {}).found ? 5 :
             data.length > 60                  ? 0 :
                                                 3),
    pointStyle: (context) => ((data[context.dataIndex] || {}).found ? "triangle" : "circle"),
    pointBackgroundColor: (context) => palette[(data[context.dataIndex] || {}).found ? "shifted" : "kept"],
    pointBorderColor: (context) => palette[(data[context.dataIndex] || {}).found ? "shifted" : "kept"],
  });
  const batchTitle = (data) =>
      (items) => [`batch ${items[0].label}`, time(data[items[0].dataIndex])].filter(Boolean);
  const finding = (data) => (items) => (data[items[0].dataIndex].found ? "shift found" : "");

  function historyShare(canvas, data) {
    const column = (name) => data.map((batch) => (isNumber(batch[name]) ? batch[name] : null));
    const edge = {pointRadius: 0, pointHitRadius: 0, borderWidth: 0};
    return new Chart(canvas, {
      type: "line",
      data: {
        labels: data.map((batch) => String(batch.batch)),
        datasets: [
          {
            label: "share shifted",
            data: column("share"),
            borderColor: color("kept"),
            backgroundColor: color("kept"),
            ...dots(data)
          },
          {
            label: "interval",
            data: column("high"),
            ...edge,
            fill: "+1",
            backgroundColor: color("shifted-band"),
            pointStyle: "rect"
          },
          {label: "", data: column("low"), ...edge},
        ],
      },
      options: {
        interaction: {mode: "index", intersect: false},
        scales: {x: batches(), y: shares("share shifted", {beginAtZero: true})},
        plugins: {
          legend: {onClick: null, labels: {filter: (item) => item.text !== ""}},
          tooltip: {
            filter: (item) => item.datasetIndex === 0,
            callbacks: {
              title: batchTitle(data),
              footer: finding(data),
              label: (item) => {
                const batch = data[item.dataIndex];
                return ` ${percent(batch.share)} (${percent(batch.low)} to ${percent(batch.high)}) of ${
                    count(batch.rows)} rows`;
              },
            },
          },
        },
      },
    });
  }

  function historyEvidence(canvas, data, needed) {
    const values =
        data.map((batch) => (isNumber(batch.evidence) && batch.evidence > 0 ? batch.evidence : null));
    const all = values.filter(isNumber).concat(isNumber(needed) ? [needed] : []);
    return new Chart(canvas, {
      type: "line",
      data: {
        labels: data.map((batch) => String(batch.batch)),
        datasets: [{
          label: "evidence",
          data: values,
          borderColor: color("kept"),
          backgroundColor: color("kept"),
          ...dots(data)
        }]
      },
      options: {
        interaction: {mode: "index", intersect: false},
        scales: {
          x: batches(),
          y: axis("evidence", {
            type: "logarithmic",
            min: all.reduce((least, value) => Math.min(least, value)) / 2,
            max: all.reduce((most, value) => Math.max(most, value)) * 3,
            ticks: {maxTicksLimit: 7, callback: (value) => (isPowerOfTen(value) ? decimal(value) : null)},
          }),
        },
        plugins: {
          legend: {display: false},
          markedLines: {
            lines: isNumber(needed) ? [{axis: "y", value: needed, text: "needed: " + decimal(needed)}] : []
          },
          tooltip: {
            callbacks: {
              title: batchTitle(data),
              footer: finding(data),
              label: (item) => " evidence " + decimal(item.parsed.y)
            }
          },
        },
      },
    });
  }

  return {scores, reliability, entropy, labeling, plane, historyShare, historyEvidence};
})();
