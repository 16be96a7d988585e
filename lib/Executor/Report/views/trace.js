// When steps ran first, by IPU and kind.

// What is shown after other replicas were chosen.
let keptRange = null;

function viewTrace(profile) {
  const { data } = profile;
  const { steps, timelines } = data;
  if (!steps.length)
    return [h("p", {}, "the program has no steps")];
  const timeline = state.way === null ? profile.timeline : timelines[state.way];
  const { ipu: slowest } = profile.getSlowestClock(timeline);
  const end = Math.max(1, data.cycles);
  const used = KINDS.filter((kind) => steps.some((s) => s.kind === kind));
  const lanes = [];
  timeline.ipus.forEach((_, ipu) => {
    lanes.push({ ipu, kind: "op" });
    used.forEach((kind) => lanes.push({ ipu, kind }));
  });
  const LANE = 24, LEFT = 130, AXIS = 22;
  // Where it is known how long each tile works: all tiles, the idlest on top.
  const BAND = steps.some((step) => step.tile_cycles) ? 64 : 0;
  let width = 0;
  const range = keptRange || { from: 0, to: end };
  keptRange = null;

  // Slices by start, and loops that run again.
  const ran = timeline.ipus.map((times) => {
    const order = steps.map((s) => s.index).filter((i) => times.start[i] >= 0);
    order.sort((a, b) => times.start[a] - times.start[b] || a - b);
    return order;
  });
  const again = [];
  for (const node of data.program)
    if (typeof node === "object" && node.bodies && timeline.counts[node.step] > 1)
      timeline.ipus.forEach((times, ipu) => again.push({ ipu, step: node.step, start: times.end[node.step], end: times.last_end[node.step], count: timeline.counts[node.step] - 1 }));

  const toX = (cycles) => LEFT + ((cycles - range.from) / (range.to - range.from)) * (width - LEFT);
  const fromX = (x) => range.from + ((x - LEFT) / (width - LEFT)) * (range.to - range.from);
  const hits = [];

  const picture = makeCanvas(() => [getWidth(), AXIS + lanes.length * LANE + BAND], "execution trace; keys W S zoom, A D move, F shows all, arrows choose steps", (context, widthNow, height) => {
    const theme = hasTheme();
    width = widthNow;
    hits.length = 0;
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    const width0 = width - LEFT;
    // 1, 2 or 5 of a power of ten, some eight of them.
    const least = Math.max(1, (range.to - range.from) / 8), power = 10 ** Math.floor(Math.log10(least));
    const unit = power * [1, 2, 5, 10].find((m) => m * power >= least);
    for (let at = Math.ceil(range.from / unit) * unit; at <= range.to; at += unit) {
      context.fillStyle = theme.line;
      context.fillRect(toX(at), 0, 1, height);
      context.fillStyle = theme.soft;
      // Right of its line, or left of it at the end of the axis.
      const text = formatNumber(at), needed = context.measureText(text).width + 3;
      context.fillText(text, toX(at) + (toX(at) + needed > width ? -needed : 3), AXIS / 2);
    }
    lanes.forEach((lane, i) => {
      const top = AXIS + i * LANE;
      context.fillStyle = theme.front;
      context.fillText(`${timeline.ipus.length > 1 ? `IPU ${lane.ipu} ` : ""}${lane.kind}`, 4, top + LANE / 2);
      context.fillStyle = theme.line;
      context.fillRect(LEFT, top + LANE - 1, width0, 1);
      const times = timeline.ipus[lane.ipu];
      context.save();
      context.beginPath();
      context.rect(LEFT, top, width0, LANE);
      context.clip();
      let drawn = -1;
      const slice = (step, from, to, colour, text) => {
        const x = toX(from), w = Math.max(toX(to) - x, 1);
        // What is narrower than a pixel is drawn once in it.
        if (Math.floor(x + w) <= drawn && step !== state.step)
          return;
        drawn = Math.floor(x + w);
        context.fillStyle = colour;
        context.fillRect(x, top + 3, w, LANE - 7);
        hits.push({ step, x, w, top });
        if (step === state.step) {
          context.strokeStyle = theme.front;
          context.lineWidth = 2;
          context.strokeRect(x, top + 3, w, LANE - 7);
        }
        if (w > 40) {
          context.save();
          context.beginPath();
          context.rect(x, top, w - 2, LANE);
          context.clip();
          context.fillStyle = lane.kind === "op" ? theme.front : "#000000";
          context.fillText(text, x + 4, top + LANE / 2);
          context.restore();
        }
      };
      const inRange = (from, to) => to >= range.from && from <= range.to;
      if (lane.kind !== "op") {
        for (const index of ran[lane.ipu])
          if (steps[index].kind === lane.kind && inRange(times.start[index], times.end[index]))
            slice(index, times.start[index], times.end[index], getStyle(`--${lane.kind}`), steps[index].name);
      } else {
        const order = ran[lane.ipu];
        for (let k = 0, number = 0; k < order.length; number++) {
          const first = order[k], op = profile.opOfStep[first];
          let last = first;
          for (; k < order.length && profile.opOfStep[order[k]] === op; k++)
            last = order[k];
          if (inRange(times.start[first], times.end[last]))
            slice(first, times.start[first], times.end[last], number % 2 ? getStyle("--chosen") : getStyle("--line"), op.name);
        }
        for (const loop of again)
          if (loop.ipu === lane.ipu && inRange(loop.start, loop.end) && loop.end > loop.start)
            drawn = -1, slice(loop.step, loop.start, loop.end, getStyle("--raised"), `${formatNumber(loop.count)} more of ${steps[loop.step].name}`);
      }
      context.restore();
    });
    if (BAND)
      drawBand(context, AXIS + lanes.length * LANE);
    shownRange.textContent = `cycles ${formatNumber(Math.round(range.from))} to ${formatNumber(Math.round(range.to))} of ${formatNumber(data.cycles)}`;
  });
  const { canvas } = picture;
  canvas.id = "trace";

  // Steps one after the other, each as far to the right as the tiles of that height
  // work in it: what is left white they wait.
  function drawBand(context, top) {
    const theme = hasTheme();
    const times = timeline.ipus[slowest];
    context.fillStyle = theme.front;
    context.fillText("tiles at work", 4, top + BAND / 2);
    context.save();
    context.beginPath();
    context.rect(LEFT, top, width - LEFT, BAND - 4);
    context.clip();
    let drawn = -1;
    for (const index of ran[slowest]) {
      const step = steps[index], start = times.start[index], until = times.end[index];
      if (!step.tile_cycles || until < range.from || start > range.to)
        continue;
      const from = toX(start), to = toX(until);
      // Of what is narrower than a pixel, the first.
      if (Math.floor(to) <= drawn)
        continue;
      drawn = Math.floor(to);
      // What all tiles wait for, such as the start, comes before they work.
      const most = Math.max(1, step.tile_cycles[step.tile_cycles.length - 1]), fixed = Math.max(0, until - start - most);
      const parts = step.tile_cycles.length - 1;
      context.fillStyle = getStyle(`--${step.kind}`);
      context.beginPath();
      context.moveTo(from, top + 2);
      step.tile_cycles.forEach((cycles, part) => context.lineTo(Math.max(toX(start + fixed + cycles), cycles ? from + 0.5 : from), top + 2 + (part / parts) * (BAND - 8)));
      context.lineTo(from, top + BAND - 6);
      context.fill();
    }
    context.restore();
  }

  function show(from, to) {
    const size = Math.min(Math.max(to - from, 10), end);
    range.from = Math.min(Math.max(0, from), end - size);
    range.to = range.from + size;
    picture.redraw();
  }
  const zoom = (factor, at = (range.from + range.to) / 2) => show(at - (at - range.from) * factor, at + (range.to - at) * factor);
  const move = (part) => show(range.from + (range.to - range.from) * part, range.to + (range.to - range.from) * part);

  // Of a step that the shown replicas did not run.
  function describeOthers(step) {
    const others = timelines.map((other, way) => ({ other, way })).filter(({ other }) => other.counts[step] > 0);
    const links = others.map(({ other, way }, i) => [i ? "; " : "", link({ way, step }, describeReplicas(other))]);
    return [`did not run on ${describeReplicas(timeline)}`, others.length ? "; ran on " : "", links];
  }

  const details = h("div", { id: "trace-step" });
  function choose(step, brings) {
    keep({ step });
    const times = timeline.ipus[slowest];
    if (brings && times.start[step] >= 0) {
      const size = range.to - range.from;
      if (times.start[step] < range.from || times.end[step] > range.to)
        show(times.start[step] - size / 2, times.start[step] + size / 2);
    }
    picture.redraw();
    details.replaceChildren(
      h("p", { id: "trace-times" }, times.start[step] < 0 ? describeOthers(step) : `first from cycle ${formatNumber(times.start[step])} to ${formatNumber(times.end[step])}; last until ${formatNumber(times.last_end[step])}`),
      describeStep(profile, step), describeBalance(steps[step]));
  }

  const hitAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return hits.find((hit) => x >= hit.x && x <= hit.x + hit.w && y >= hit.top && y < hit.top + LANE);
  };
  let grip = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, fromX(event.clientX - canvas.getBoundingClientRect().left));
  }, { passive: false });
  canvas.addEventListener("mousedown", (event) => { grip = { x: event.clientX, from: range.from, to: range.to, moved: false }; });
  canvas.addEventListener("mousemove", (event) => {
    if (grip && event.buttons) {
      const shift = ((grip.x - event.clientX) / (width - LEFT)) * (grip.to - grip.from);
      grip.moved = grip.moved || Math.abs(grip.x - event.clientX) > 3;
      if (grip.moved)
        show(grip.from + shift, grip.to + shift);
      return;
    }
    const hit = hitAt(event);
    showTip(event, hit ? `step ${hit.step}: ${steps[hit.step].kind} ${steps[hit.step].name}, ${formatNumber(steps[hit.step].cycles[slowest])} cycles` : "");
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  canvas.addEventListener("click", (event) => {
    const hit = hitAt(event);
    if (hit && !(grip && grip.moved))
      choose(hit.step, false);
  });
  canvas.addEventListener("keydown", (event) => {
    const order = ran[slowest], at = order.indexOf(state.step);
    const keys = {
      w: () => zoom(0.7), s: () => zoom(1.4), a: () => move(-0.2), d: () => move(0.2), f: () => show(0, end),
      ArrowRight: () => choose(order[Math.min(at + 1, order.length - 1)], true),
      ArrowLeft: () => choose(order[Math.max(at - 1, 0)], true),
      Enter: () => state.step !== null && timeline.ipus[slowest].start[state.step] >= 0 && show(timeline.ipus[slowest].start[state.step] - 5, timeline.ipus[slowest].end[state.step] + 5),
    };
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action)
      return;
    action();
    event.preventDefault();
  });
  // The first drawing was before there was where to say it.
  picture.redraw();
  if (state.step !== null)
    choose(state.step, true);
  const ways = h("select", { id: "way", "aria-label": "replicas", onchange: () => {
    keptRange = range;
    go({ way: Number(ways.value) });
  } }, timelines.map((other, way) => h("option", { value: way, selected: other === timeline }, `${describeReplicas(other)}${other === profile.timeline ? " (slowest)" : ""}`)));
  return [
    h("div", { class: "controls" }, timelines.length > 1 ? h("label", {}, "show ", ways) : h("span", {}, describeReplicas(timeline)),
      h("button", { type: "button", onclick: () => zoom(0.5) }, "zoom in"), h("button", { type: "button", onclick: () => zoom(2) }, "zoom out"), h("button", { type: "button", id: "fit", onclick: () => show(0, end) }, "all"),
      shownRange),
    h("p", { class: "soft" }, `each step where it ran first. Wheel zooms, dragging moves; W S A D F and arrows when the picture has the focus`),
    canvas, details,
    makeTable({
      label: "steps by time", rows: ran[slowest].map((i) => steps[i]), filter: (s) => `${s.index} ${s.name} ${s.kind} ${s.location}`, choose: (s) => choose(s.index, true), isSelected: (s) => s.index === state.step,
      columns: [
        { title: "step", number: true, get: (s) => s.index }, { title: "kind", get: (s) => s.kind, format: (k) => h("span", {}, chip(k), k) }, { title: "name", get: (s) => s.name },
        { title: "start", number: true, get: (s) => timeline.ipus[slowest].start[s.index] }, { title: "end", number: true, get: (s) => timeline.ipus[slowest].end[s.index] },
        { title: "executions", number: true, get: (s) => timeline.counts[s.index] }, { title: "balance", number: true, get: (s) => s.balance_permille, format: formatPermille },
        { title: "location", get: (s) => s.location },
      ],
    }).element,
  ];
}
const shownRange = h("span", { id: "range", class: "soft", "aria-live": "polite" });

// How evenly tiles work in a step.
function describeBalance(step) {
  const most = Math.max(...step.cycles, 1);
  const bar = (cycles, label) => h("div", { class: "bar", role: "img", "aria-label": label, style: { maxWidth: "40em" } },
    h("span", { style: { width: `${(cycles / most) * 100}%`, background: colourOf(step.kind) } }));
  const parts = h("div", {}, h("h3", {}, "Tile balance"),
    bar(step.mean_cycles, `the mean tile works ${formatShare(step.mean_cycles, most)} of the time of tile ${step.busiest_tile}`),
    h("p", { class: "soft" }, `the mean tile works ${formatNumber(step.mean_cycles)} cycles, tile ${step.busiest_tile} ${formatNumber(most)}`));
  if (step.tile_cycles) {
    const shares = step.tile_cycles.map((_, part) => formatPermille((part * 1000) / (step.tile_cycles.length - 1)));
    parts.append(h("table", { id: "tile-cycles" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "share of tiles that work no longer"), shares.map((share) => h("th", { scope: "col", class: "number" }, share)))),
      h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, "cycles"), step.tile_cycles.map((cycles) => h("td", { class: "number" }, formatNumber(cycles)))))));
  }
  return parts;
}
VIEWS.push({ id: "trace", title: "Trace", make: viewTrace });
