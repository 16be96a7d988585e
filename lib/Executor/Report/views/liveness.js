// Bytes over steps, and the variables of a step.

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
  const sum = (get) => always.reduce((total, variable) => total + get(variable), 0);
  const base = { fullest: sum((v) => v.fullest_tile_bytes), all: sum((v) => v.bytes) };

  const select = h("select", { id: "tiles-of", "aria-label": "tiles", onchange: drawPlot },
    h("option", { value: "fullest" }, `fullest tile (${memory.fullest_tile})`), h("option", { value: "all" }, "all tiles"));
  const holder = h("div"), details = h("div", { id: "step-details" });
  let plot = null;

  function drawPlot() {
    const changing = select.value === "all" ? ofAll : ofFullest;
    const fixed = base[select.value];
    const series = [
      { label: "not always live and always live", values: changing.map((v) => v + fixed), colour: getStyle("--exchange"), fill: "rgba(86,180,233,0.35)" },
      { label: "always live", values: new Float64Array(steps.length).fill(fixed), colour: getStyle("--code"), fill: "rgba(230,159,0,0.45)" },
    ];
    if (select.value === "fullest")
      series.unshift({ label: "all that is live on the tile where most is, with code", values: live, colour: getStyle("--compute") });
    plot = makePlot(getWidth, 300, series, { xLabel: "step", limit: select.value === "fullest" ? data.target.tile_memory : 0, choose: chooseStep, draw: (u) => {
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
    holder.replaceChildren(plot.element);
  }

  function chooseStep(step) {
    keep({ step });
    plot.plot.redraw();
    update();
  }

  function chooseVariable(index) {
    keep({ variable: state.variable === index ? null : index });
    plot.plot.redraw();
    update();
  }

  function update() {
    const step = steps[state.step];
    const rows = [];
    data.variables.forEach((variable, index) => {
      if (profile.isLive(variable, state.step))
        rows.push({ variable, index });
    });
    const chosen = state.variable === null ? null : data.variables[state.variable];
    details.replaceChildren(
      h("h2", {}, `Step ${step.index}: ${step.kind} `, link({ view: "trace", step: step.index }, step.name)),
      h("p", { id: "step-bytes" }, `not always live: ${formatNumber(ofAll[step.index])} bytes on all tiles, ${formatNumber(ofFullest[step.index])} on the fullest; always live: ${formatNumber(base.all)} and ${formatNumber(base.fullest)}`),
      chosen ? h("div", { class: "card" }, definitions([
        ["variable", chosen.name], ["location", chosen.location], ["type", chosen.type], ["live in steps", chosen.ranges.map(([a, b]) => `${a} to ${b}`).join(", ")],
        ["bytes", formatNumber(chosen.bytes)], ["on the tile with most", formatNumber(chosen.max_tile_bytes)], ["tile mapping", chosen.map],
        ["written by steps", usesOf("writes", state.variable)], ["read by steps", usesOf("reads", state.variable)],
      ])) : "",
      makeTable({
        label: "live variables", rows, sort: "bytes", filter: (r) => `${r.variable.name} ${r.variable.location} ${r.variable.type}`,
        isSelected: (r) => r.index === state.variable, choose: (r) => chooseVariable(r.index),
        columns: [
          { title: "variable", get: (r) => r.variable.name }, { title: "location", get: (r) => r.variable.location }, { title: "type", get: (r) => r.variable.type },
          { title: "bytes", number: true, get: (r) => r.variable.bytes, hint: "on all tiles, copies counted" },
          { title: "on the fullest tile", number: true, get: (r) => r.variable.fullest_tile_bytes },
          { title: "first step", number: true, get: (r) => r.variable.first_step }, { title: "last step", number: true, get: (r) => r.variable.last_step },
          { title: "always live", get: (r) => (r.variable.always_live ? "yes" : "no") },
        ],
      }).element);
  }

  const usesOf = (key, variable) => h("span", {}, steps.filter((s) => s[key].includes(variable)).slice(0, 20).flatMap((s) => [link({ view: "trace", step: s.index }, String(s.index)), " "]));

  const number = h("input", { id: "step-entry", type: "number", min: 0, max: steps.length - 1, value: state.step, "aria-label": "step", onchange: () => {
    const step = Number(number.value);
    if (Number.isInteger(step) && step >= 0 && step < steps.length)
      chooseStep(step);
  } });
  drawPlot();
  update();
  return [
    h("div", { class: "controls" }, h("label", {}, "bytes of ", select), h("label", {}, "step ", number),
      h("button", { type: "button", onclick: () => chooseStep(memory.peak_step) }, "peak")),
    h("p", { class: "soft" }, "drag to zoom, double click for all; click to choose a step; choose a variable to see when it is live"), holder, details,
  ];
}
VIEWS.push({ id: "liveness", title: "Liveness", make: viewLiveness });
