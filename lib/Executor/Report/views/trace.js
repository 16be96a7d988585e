// When steps ran first, by IPU and kind.

// What is shown after other replicas were chosen.
let keptRange = null;

// So many IPUs are drawn at once.
const TRACE_IPUS = 16;

// The lanes of an IPU, each with what it has by start: {step, from, to, colour, text}.
function makeLanes(profile, timeline, ipu, order, runs) {
  const { steps } = profile.data;
  const times = timeline.ipus[ipu];
  const own = order.filter((index) => !steps[index].on_io_tiles);
  const slice = (index, colour) => ({ step: index, from: times.start[index], to: times.end[index], colour, text: steps[index].name });

  // Steps of an op one after the other, up to where a loop or a call runs again.
  const ops = [], { again } = runs;
  let number = 0, next = 0, op = null;
  for (const index of own) {
    for (; next < again.length && again[next].from <= times.start[index]; next++) {
      ops.push({ ...again[next], colour: "--raised" });
      op = null;
    }
    if (profile.opOfStep[index] === op)
      ops[ops.length - 1].to = times.end[index];
    else {
      op = profile.opOfStep[index];
      ops.push({ ...slice(index, number++ % 2 ? "--chosen" : "--line"), text: op.name });
    }
  }
  for (const rest of again.slice(next))
    ops.push({ ...rest, colour: "--raised" });

  const lanes = [{ ipu, name: "op", slices: ops }];
  for (const kind of KINDS)
    lanes.push({ ipu, name: kind, slices: own.filter((index) => steps[index].kind === kind).map((index) => slice(index, `--${kind}`)) });
  lanes.push({ ipu, name: "wait", slices: runs.waits.map((wait) => ({ ...wait, step: wait.before, isWait: true })) });
  lanes.push({ ipu, name: IO_TILES, slices: order.filter((index) => steps[index].on_io_tiles).map((index) => slice(index, `--${steps[index].kind}`)) });
  return lanes;
}

function viewTrace(profile) {
  const { data } = profile;
  const { steps, timelines } = data;
  if (!steps.length)
    return [h("p", {}, "the program has no steps")];
  const timeline = state.way === null ? profile.timeline : timelines[state.way];
  const { ipu: slowest } = profile.getSlowestClock(timeline);
  const end = Math.max(1, data.cycles);

  // Of each IPU, the steps by start, and the lanes.
  const ran = timeline.ipus.map((times) => {
    const order = steps.map((s) => s.index).filter((i) => times.start[i] >= 0);
    order.sort((a, b) => times.start[a] - times.start[b] || a - b);
    return order;
  });
  const runs = timeline.ipus.map((_, ipu) => new FirstRuns(profile, timeline, ipu));
  const all = timeline.ipus.map((_, ipu) => makeLanes(profile, timeline, ipu, ran[ipu], runs[ipu]));
  // The same lanes for each IPU: those in which any has something.
  const used = all[0].map((_, i) => i).filter((i) => all.some((lanes) => lanes[i].slices.length));
  const groups = makeGroups({ count: all.length, size: TRACE_IPUS, name: "IPUs", change: () => picture.redraw() });
  groups.bring(slowest);
  const getLanes = () => all.slice(groups.from, groups.to).flatMap((lanes) => used.map((i) => lanes[i]));

  const LANE = 24, LEFT = 130, AXIS = 22;
  // Where it is known how long each tile works: all tiles, the idlest on top.
  const BAND = steps.some((step) => step.tile_cycles) ? 64 : 0;
  let width = 0;
  const range = keptRange || { from: 0, to: end };
  keptRange = null;

  const toX = (cycles) => LEFT + ((cycles - range.from) / (range.to - range.from)) * (width - LEFT);
  const fromX = (x) => range.from + ((x - LEFT) / (width - LEFT)) * (range.to - range.from);
  const hits = [];

  const getSize = (available) => [available, AXIS + (groups.to - groups.from) * used.length * LANE + BAND];
  const picture = makeCanvas(getSize, "execution trace; keys W S zoom, A D move, F shows all, arrows choose steps", (context, widthNow, height) => {
    width = widthNow;
    hits.length = 0;
    context.font = "12px system-ui";
    context.textBaseline = "middle";
    drawAxis(context, height);
    const lanes = getLanes();
    lanes.forEach((lane, i) => drawLane(context, lane, AXIS + i * LANE));
    if (BAND)
      drawBand(context, AXIS + lanes.length * LANE);
    shownRange.textContent = `cycles ${formatNumber(Math.round(range.from))} to ${formatNumber(Math.round(range.to))} of ${formatNumber(data.cycles)}`;
  });
  const { canvas } = picture;
  canvas.id = "trace";

  function drawAxis(context, height) {
    const theme = hasTheme();
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
  }

  function drawLane(context, lane, top) {
    const theme = hasTheme();
    context.fillStyle = theme.front;
    context.fillText(`${timeline.ipus.length > 1 ? `IPU ${lane.ipu} ` : ""}${lane.name}`, 4, top + LANE / 2);
    context.fillStyle = theme.line;
    context.fillRect(LEFT, top + LANE - 1, width - LEFT, 1);
    context.save();
    context.beginPath();
    context.rect(LEFT, top, width - LEFT, LANE);
    context.clip();
    let drawn = -1;
    for (const slice of lane.slices) {
      if (slice.to < range.from || slice.from > range.to)
        continue;
      const x = toX(slice.from), w = Math.max(toX(slice.to) - x, 1), isChosen = slice.step === state.step && !slice.isWait;
      // What is narrower than a pixel is drawn once in it.
      if (Math.floor(x + w) <= drawn && !isChosen)
        continue;
      drawn = Math.max(drawn, Math.floor(x + w));
      hits.push({ slice, lane, x, w, top });
      if (slice.isWait) {
        drawHatched(context, x, top + 3, w, LANE - 7, theme.soft);
        continue;
      }
      context.fillStyle = getStyle(slice.colour);
      context.fillRect(x, top + 3, w, LANE - 7);
      if (isChosen) {
        context.strokeStyle = theme.front;
        context.lineWidth = 2;
        context.strokeRect(x, top + 3, w, LANE - 7);
      }
      if (w > 40) {
        context.save();
        context.beginPath();
        context.rect(x, top, w - 2, LANE);
        context.clip();
        context.fillStyle = lane.name === "op" ? theme.front : "#000000";
        context.fillText(slice.text, x + 4, top + LANE / 2);
        context.restore();
      }
    }
    context.restore();
  }

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
    table.reveal();
    details.replaceChildren(
      h("p", { id: "trace-times" }, times.start[step] < 0 ? describeOthers(step) : `first from cycle ${formatNumber(times.start[step])} to ${formatNumber(times.end[step])}; last until ${formatNumber(times.last_end[step])}`),
      describeStep(profile, step, timeline.counts), describeBalance(steps[step]));
  }

  const hitAt = (event) => {
    const [x, y] = picture.getPoint(event);
    return hits.find((hit) => x >= hit.x && x <= hit.x + hit.w && y >= hit.top && y < hit.top + LANE);
  };
  function describeHit({ slice, lane }) {
    const length = formatNumber(slice.to - slice.from);
    if (slice.isWait)
      return `IPU ${lane.ipu} waits ${length} cycles ${slice.step === null ? "at the end" : `before step ${slice.step}`}`;
    const step = steps[slice.step];
    return lane.name === "op" ? `${slice.text}: ${length} cycles` : `step ${step.index}: ${step.kind} ${step.name}, ${formatNumber(step.cycles[lane.ipu])} cycles`;
  }
  let grip = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, fromX(picture.getPoint(event)[0]));
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
    showTip(event, hit ? describeHit(hit) : "");
  });
  canvas.addEventListener("mouseleave", (event) => showTip(event, ""));
  canvas.addEventListener("click", (event) => {
    const hit = hitAt(event);
    if (hit && hit.slice.step !== null && !(grip && grip.moved))
      choose(hit.slice.step, false);
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
  const table = makeTable({
    label: "steps by time", rows: ran[slowest].map((i) => steps[i]), filter: (s) => `${s.index} ${s.name} ${s.kind} ${s.location}`, choose: (s) => choose(s.index, true), isSelected: (s) => s.index === state.step,
    columns: [
      { title: "step", number: true, get: (s) => s.index }, { title: "kind", get: (s) => s.kind, format: (k) => h("span", {}, chip(k), k) }, { title: "name", get: (s) => s.name },
      { title: "start", number: true, get: (s) => timeline.ipus[slowest].start[s.index] }, { title: "end", number: true, get: (s) => timeline.ipus[slowest].end[s.index] },
      { title: "executions", number: true, get: (s) => timeline.counts[s.index] }, { title: "balance", number: true, get: (s) => s.balance_permille, format: formatPermille },
      ...(profile.hasIo ? [{ title: "on", get: (s) => (s.on_io_tiles ? IO_TILES : "other tiles") }] : []), { title: "location", get: (s) => s.location },
    ],
  });
  if (state.step !== null)
    choose(state.step, true);
  const ways = h("select", { id: "way", "aria-label": "replicas", onchange: () => {
    keptRange = range;
    go({ way: Number(ways.value) });
  } }, timelines.map((other, way) => h("option", { value: way, selected: other === timeline }, `${describeReplicas(other)}${other === profile.timeline ? " (slowest)" : ""}`)));
  return [
    h("div", { class: "controls" }, timelines.length > 1 ? h("label", {}, "show ", ways) : h("span", {}, describeReplicas(timeline)), groups.element || [],
      h("button", { type: "button", onclick: () => zoom(0.5) }, "zoom in"), h("button", { type: "button", onclick: () => zoom(2) }, "zoom out"), h("button", { type: "button", id: "fit", onclick: () => show(0, end) }, "all"),
      shownRange),
    h("p", { class: "soft" }, `each step where it ran first${profile.hasLoops ? ", so of each loop the first iteration" : ""}; waits are hatched. Wheel zooms, dragging moves; W S A D F and arrows when the picture has the focus`),
    picture.element, details,
    makeWaits(runs), h("h3", {}, timeline.ipus.length > 1 ? `Steps of IPU ${slowest}, by time` : "Steps by time"), table.element,
  ];
}
const shownRange = h("span", { id: "range", class: "soft", "aria-live": "polite" });

// The numbers of the hatched parts.
function makeWaits(runs) {
  const rows = runs.flatMap(({ waits }, ipu) => waits.map((wait) => ({ ...wait, ipu })));
  const title = `waits: ${formatNumber(rows.length)}, where steps ran first`;
  if (!rows.length)
    return h("p", { class: "soft", id: "waits" }, title);
  const table = fold(title, () => makeTable({
    label: "waits", rows, filter: (r) => `IPU ${r.ipu}`, sort: "cycles",
    columns: [
      { title: "IPU", number: true, get: (r) => r.ipu }, { title: "from", number: true, get: (r) => r.from }, { title: "to", number: true, get: (r) => r.to },
      { title: "cycles", number: true, get: (r) => r.to - r.from },
      { title: "before step", number: true, get: (r) => (r.before === null ? -1 : r.before), format: (step) => (step < 0 ? "the end" : link({ view: "trace", step }, formatNumber(step))) },
    ],
  }).element);
  table.id = "waits";
  return table;
}
VIEWS.push({ id: "trace", title: "Trace", make: viewTrace });
