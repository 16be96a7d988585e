// Plots by uPlot, and canvases.

const CIVIDIS = [[0, 32, 77], [49, 68, 107], [102, 105, 112], [149, 143, 120], [203, 186, 105], [255, 234, 70]];

// The colour of a part in [0, 1]: dark is little.
function getHeat(part) {
  const at = Math.min(Math.max(part, 0), 1) * (CIVIDIS.length - 1);
  const low = Math.min(Math.floor(at), CIVIDIS.length - 2);
  const mix = CIVIDIS[low].map((c, i) => Math.round(c + (CIVIDIS[low + 1][i] - c) * (at - low)));
  return `rgb(${mix.join(",")})`;
}

const hasTheme = () => ({ front: getStyle("--front"), line: getStyle("--line"), back: getStyle("--back"), soft: getStyle("--soft") });

// A limit is drawn if it is at most so many times as great as the greatest value.
const MOST_ROOM = 4;

// The distances between ticks: 1, 2 or 5 times a power of ten.
const WHOLE_INCREMENTS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((m) => m * 10 ** power)).flat();

// Puts lines over whole numbers into `host`, as wide as it is; returns the plot.
// Series: {label, values, colour, fill, own}, where `own` are the values that the
// legend shows of series that are stacked. Options: xLabel, limit and its limitName,
// choose(x), draw(plot).
function drawPlot(host, height, series, options) {
  const most = series.reduce((most, s) => getMost(s.values, most), 0);
  // A limit far above all values would leave no room for them.
  const limit = options.limit && most * MOST_ROOM >= options.limit ? options.limit : 0;
  const xs = Float64Array.from(series[0].values, (_, i) => i);
  const axis = (more) => Object.assign({ stroke: () => hasTheme().front, grid: { stroke: () => hasTheme().line, width: 1 }, ticks: { stroke: () => hasTheme().line } }, more);
  const holder = h("div", { class: "plot" });
  host.replaceChildren(holder);
  if (options.limit && !limit)
    host.append(h("p", { class: "soft above" }, `${options.limitName}, ${formatNumber(options.limit)} bytes, is above the picture`));
  // Before it is in the page, any width.
  const measure = () => holder.clientWidth || 600;
  const plot = new uPlot({
    width: measure(), height,
    scales: { x: { time: false }, y: { range: (_, min, max) => [0, Math.max(max, limit) * 1.05 || 1] } },
    axes: [
      // Steps and tiles are whole numbers.
      axis({ label: options.xLabel, labelSize: 20, incrs: WHOLE_INCREMENTS, values: (_, ticks) => ticks.map((t) => formatNumber(t)) }),
      axis({ size: 80, incrs: WHOLE_INCREMENTS, values: (_, ticks) => ticks.map((t) => formatNumber(t)) }),
    ],
    series: [{ label: options.xLabel, value: (_, v) => (v === null ? "" : formatNumber(v)) }].concat(series.map((s) => ({
      label: s.label, stroke: s.colour, fill: s.fill, width: 1.5,
      paths: uPlot.paths.stepped({ align: 1 }), points: { show: false },
      value: (_, v, __, x) => (v === null ? "" : formatNumber(s.own && x !== null ? s.own[x] : v)),
    }))),
    hooks: {
      draw: [(u) => {
        if (limit) {
          const y = u.valToPos(limit, "y", true);
          u.ctx.save();
          u.ctx.strokeStyle = hasTheme().front;
          u.ctx.setLineDash([6, 4]);
          u.ctx.beginPath();
          u.ctx.moveTo(u.bbox.left, y);
          u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
          u.ctx.stroke();
          u.ctx.restore();
        }
        if (options.draw)
          options.draw(u);
      }],
    },
  }, [xs, ...series.map((s) => s.values)], holder);
  // A plot of another size keeps what it is zoomed to.
  const redraw = () => (measure() === plot.width ? plot.redraw() : plot.setSize({ width: measure(), height }));
  redraws.set(plot.ctx.canvas, redraw);
  plot.ctx.canvas.setAttribute("role", "img");
  plot.ctx.canvas.setAttribute("aria-label", `bytes by ${options.xLabel}; a table below has the numbers`);
  if (!holder.isConnected)
    whenShown(holder, redraw);
  if (options.choose)
    plot.over.addEventListener("click", () => {
      if (plot.cursor.idx !== null && plot.cursor.idx !== undefined)
        options.choose(plot.cursor.idx);
    });
  return plot;
}

// A canvas that is as sharp as the screen and as wide as where `element` is. `getSize`
// returns the width and the height in CSS pixels for the width that there is; `draw` gets
// a context in these pixels, the width and the height. `getPoint` returns where in these
// pixels an event is.
function makeCanvas(getSize, label, draw) {
  const canvas = h("canvas", { width: 0, height: 0, tabindex: "0", role: "img", "aria-label": label });
  const element = h("div", { class: "picture" }, canvas);
  const context = canvas.getContext("2d");
  let width = 0;
  const redraw = () => {
    if (!element.isConnected)
      return;
    const [newWidth, height] = getSize(element.clientWidth), scale = window.devicePixelRatio || 1;
    width = newWidth;
    const size = [Math.round(width * scale), Math.round(height * scale)];
    // A new size empties the canvas, which takes time.
    if (canvas.width !== size[0] || canvas.height !== size[1]) {
      [canvas.width, canvas.height] = size;
      Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  const getPoint = (event) => {
    const box = canvas.getBoundingClientRect(), scale = width / (box.width || 1);
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  redraws.set(canvas, redraw);
  whenShown(element, redraw);
  return { element, canvas, redraw, getPoint };
}

// Draws what is in `view` once more, in the colours and the width that the page has
// now. What is chosen, filtered, sorted and zoomed stays.
function redrawAll(view) {
  for (const element of view.querySelectorAll("canvas, .scroll"))
    redraws.get(element)?.();
}
