// Bytes over steps, and the variables of a step.

// Of the categories that have bytes; gaps are no live bytes.
const CATEGORY_COLOURS = {
  stack: "--soft", vertex_code: "--compute", exchange_code: "--remote", control_code: "--sync",
  vertex_state: "--collective", host_exchange: "--host", always_live: "--code", not_always_live: "--exchange",
};

function viewLiveness(profile) {
  const { data } = profile;
  const { memory, steps } = data;
  if (!steps.length)
    return [h("p", {}, "the program has no steps")];
  if (state.step === null)
    keep({ step: memory.peak_step });
  const always = data.variables.filter((v) => v.always_live);
  const ofFullest = expandCurve(memory.not_always_live_of_fullest, steps.length);
  const ofAll = expandCurve(memory.not_always_live, steps.length);
  const live = expandCurve(memory.live, steps.length);
  const categories = memory.categories.map(({ name }, i) => ({ name, bytes: expandCurve(memory.live_of_fullest[i], steps.length) })).filter(({ name }) => name in CATEGORY_COLOURS);
  const sum = (get) => always.reduce((total, variable) => total + get(variable), 0);
  const base = { fullest: sum((v) => v.fullest_tile_bytes), all: sum((v) => v.bytes) };

  const select = h("select", { id: "tiles-of", "aria-label": "tiles", onchange: drawAreas },
    h("option", { value: "fullest" }, `fullest tile (${memory.fullest_tile})`), h("option", { value: "all" }, "all tiles"));
  const holder = h("div"), details = h("div", { id: "step-details" });
  let plot = null;

  function drawAreas() {
    const parts = select.value === "fullest" ? categories : [
      { name: "always_live", bytes: new Float64Array(steps.length).fill(base.all) }, { name: "not_always_live", bytes: ofAll },
    ];
    // Each part is on top of those before it, and drawn before them.
    const series = [], sums = new Float64Array(steps.length);
    for (const { name, bytes } of parts.filter((part) => part.bytes.some((n) => n > 0))) {
      bytes.forEach((n, step) => { sums[step] += n; });
      const colour = () => getStyle(CATEGORY_COLOURS[name]);
      series.unshift({ label: name.replaceAll("_", " "), values: sums.slice(), own: bytes, colour, fill: colour });
    }
    if (select.value === "fullest")
      series.push({ label: "all that is live on the tile where most is", values: live, colour: () => getStyle("--front") });
    else if (!series.length)
      series.push({ label: "bytes", values: sums, colour: () => getStyle("--front") });
    plot = drawPlot(holder, 300, series, { xLabel: "step", limit: select.value === "fullest" ? data.target.tile_memory : 0, limitName: "the memory of a tile", choose: chooseStep, draw: (u) => {
      const mark = (first, last, colour) => {
        const left = u.valToPos(first, "x", true), right = u.valToPos(last + 1, "x", true);
        u.ctx.fillStyle = colour;
        u.ctx.fillRect(left, u.bbox.top, Math.max(2, right - left), u.bbox.height);
      };
      u.ctx.save();
      if (state.variable !== null)
        for (const [first, last] of data.variables[state.variable].ranges)
          mark(first, last, "rgba(0,158,115,0.25)");
      mark(state.step, state.step, "rgba(128,128,128,0.5)");
      u.ctx.restore();
    } });
  }

  function chooseStep(step) {
    keep({ step });
    plot.redraw();
    update();
    table.setRows(getLive());
  }

  function chooseVariable(index) {
    keep({ variable: state.variable === index ? null : index });
    plot.redraw();
    update();
    table.draw();
  }

  function update() {
    number.value = state.step;
    const step = steps[state.step];
    const chosen = state.variable === null ? null : data.variables[state.variable];
    details.replaceChildren(
      h("h2", {}, `Step ${step.index}: ${step.kind} `, link({ view: "trace", step: step.index }, step.name)),
      h("p", { id: "step-bytes" }, `not always live: ${formatNumber(ofAll[step.index])} bytes on all tiles, ${formatNumber(ofFullest[step.index])} on the fullest; always live: ${formatNumber(base.all)} and ${formatNumber(base.fullest)}`),
      h("table", { id: "step-categories" },
        h("thead", {}, h("tr", {}, ["category", "bytes on the fullest tile in this step", "at its peak"].map((t, i) => h("th", { scope: "col", class: i ? "number" : null }, t)))),
        h("tbody", {}, categories.map(({ name, bytes }) => h("tr", { "data-category": name }, h("td", {}, h("span", { class: "chip", style: { background: `var(${CATEGORY_COLOURS[name]})` }, "aria-hidden": "true" }), name.replaceAll("_", " ")),
          h("td", { class: "number" }, formatNumber(bytes[step.index])), h("td", { class: "number" }, formatNumber(bytes[memory.peak_step])))))),
      chosen ? h("div", { class: "card" }, definitions([
        ["variable", chosen.name], ["location", chosen.location], ["type", chosen.type], ["live in steps", chosen.ranges.map(([a, b]) => `${a} to ${b}`).join(", ")],
        ["bytes", formatNumber(chosen.bytes)], ["on the tile with most", formatNumber(chosen.max_tile_bytes)], ["tile mapping", chosen.map],
        ["written by steps", usesOf("writes", state.variable)], ["read by steps", usesOf("reads", state.variable)],
      ])) : "");
  }

  const getLive = () => data.variables.map((variable, index) => ({ variable, index })).filter(({ variable }) => profile.isLive(variable, state.step));
  // It stays when steps and variables are chosen, with its filter and the focus.
  const table = makeTable({
    label: "live variables", rows: getLive(), sort: "bytes", filter: (r) => `${r.variable.name} ${r.variable.location} ${r.variable.type}`,
    isSelected: (r) => r.index === state.variable, choose: (r) => chooseVariable(r.index),
    columns: [
      { title: "variable", get: (r) => r.variable.name }, { title: "location", get: (r) => r.variable.location }, { title: "type", get: (r) => r.variable.type },
      { title: "bytes", number: true, get: (r) => r.variable.bytes, hint: "on all tiles, copies counted" },
      { title: "on the fullest tile", number: true, get: (r) => r.variable.fullest_tile_bytes },
      { title: "first step", number: true, get: (r) => r.variable.first_step }, { title: "last step", number: true, get: (r) => r.variable.last_step },
      { title: "always live", get: (r) => (r.variable.always_live ? "yes" : "no") },
    ],
  });

  const usesOf = (key, variable) => listSome(steps.filter((s) => s[key].includes(variable)).map((s) => [link({ view: "trace", step: s.index }, String(s.index)), " "]), 20);

  const curves = () => makeTable({
    label: "bytes by step", rows: steps, filter: (s) => `${s.index} ${s.kind} ${s.name}`, choose: (s) => chooseStep(s.index),
    columns: [
      { title: "step", number: true, get: (s) => s.index }, { title: "kind", get: (s) => s.kind }, { title: "name", get: (s) => s.name },
      { title: "most on a tile", number: true, get: (s) => live[s.index], hint: "of what is live" },
      { title: "always live, all tiles", number: true, get: () => base.all }, { title: "not always live, all tiles", number: true, get: (s) => ofAll[s.index] },
      ...categories.map(({ name, bytes }) => ({ title: name.replaceAll("_", " "), number: true, get: (s) => bytes[s.index], hint: "on the fullest tile" })),
    ],
  }).element;

  const number = h("input", { id: "step-entry", type: "number", min: 0, max: steps.length - 1, value: state.step, "aria-label": "step", onchange: () => {
    const step = Number(number.value);
    // What is no step is not shown: the field says which one is.
    if (number.value !== "" && Number.isInteger(step) && step >= 0 && step < steps.length)
      chooseStep(step);
    else
      number.value = state.step;
  } });
  drawAreas();
  update();
  return [
    h("div", { class: "controls" }, h("label", {}, "bytes of ", select), h("label", {}, "step ", number),
      h("button", { type: "button", onclick: () => chooseStep(memory.peak_step) }, "peak")),
    h("p", { class: "soft" }, `drag to zoom, double click for all; click to choose a step; choose a variable to see when it is live${profile.hasLoops ? "; each loop is shown by its first iteration" : ""}`), holder,
    fold("bytes of all steps", curves), h("div", { id: "live" }, details, h("h3", {}, "Variables that are live in this step"), table.element),
  ];
}
VIEWS.push({ id: "liveness", title: "Liveness", make: viewLiveness });
