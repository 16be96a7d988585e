// Steps as they are nested, with how often they ran and what they cost.

const CHILDREN = 500;

function viewProgram(profile) {
  const { data } = profile;
  const getStep = (node) => data.steps[typeof node === "number" ? node : node.step];
  const root = h("ul", { role: "group" });
  const filter = h("input", { type: "search", placeholder: "filter", "aria-label": "filter the program", oninput: draw });
  const called = new Set();

  // Cycles of a step and of what is in it.
  const totals = new Map();
  function getTotal(node) {
    if (totals.has(node))
      return totals.get(node);
    let cycles = profile.getCycles(getStep(node));
    for (const body of node.bodies || [])
      for (const inner of body)
        cycles += getTotal(inner);
    totals.set(node, cycles);
    return cycles;
  }

  function matches(node, text) {
    const step = getStep(node);
    return !text || `${step.name} ${step.location} ${step.kind}`.toLowerCase().includes(text) ||
      (node.bodies || []).some((body) => body.some((inner) => matches(inner, text)));
  }

  function makeItem(node, text) {
    const step = getStep(node), cycles = getTotal(node);
    const bodies = node.bodies || [];
    const isCall = node.function !== undefined;
    const mayOpen = bodies.length > 0 || isCall;
    const item = h("li", { role: "treeitem", "data-step": step.index, "aria-expanded": mayOpen ? "false" : null, "aria-selected": state.step === step.index ? "true" : "false", tabindex: "-1" });
    const names = bodies.length === 2 ? (step.name === "if" ? ["then", "else"] : ["condition", "body"]) : [""];
    let inner = null;
    const open = (yes) => {
      if (!mayOpen)
        return;
      item.setAttribute("aria-expanded", String(yes));
      mark.textContent = yes ? "▾" : "▸";
      if (yes && !inner) {
        inner = h("ul", { role: "group" });
        if (isCall)
          fill(inner, data.functions[node.function].body, text);
        bodies.forEach((body, i) => {
          if (names[i])
            inner.append(h("li", { role: "none", class: "soft" }, names[i]));
          fill(inner, body, text);
        });
        item.append(inner);
      }
      if (inner)
        inner.hidden = !yes;
    };
    const mark = h("span", { "aria-hidden": "true" }, mayOpen ? "▸" : " ");
    item.append(h("div", { class: "row", onclick: () => {
      open(item.getAttribute("aria-expanded") !== "true");
      choose(item, step.index);
    } }, mark, chip(step.kind), h("span", { class: "name", title: step.location }, `${step.index} ${isCall ? "call " : ""}${step.name}`),
      h("span", { class: "number soft" }, `× ${formatNumber(step.count)}`),
      h("span", { class: "number", "data-cycles": cycles }, formatNumber(cycles)),
      h("span", { class: "number" }, formatShare(cycles, data.cycles))));
    item.openInTree = open;
    if (mayOpen && (text || (isCall ? !called.has(node.function) : true)) && data.steps.length < 2000) {
      if (isCall)
        called.add(node.function);
      open(true);
    }
    return item;
  }

  function fill(list, nodes, text, from = 0) {
    const shown = text ? nodes.filter((n) => matches(n, text)) : nodes;
    for (const node of shown.slice(from, from + CHILDREN))
      list.append(makeItem(node, text));
    if (from + CHILDREN < shown.length) {
      const more = h("button", { type: "button", onclick: () => {
        more.remove();
        fill(list, nodes, text, from + CHILDREN);
      } }, `${formatNumber(shown.length - from - CHILDREN)} more`);
      list.append(more);
    }
  }

  const details = h("div", { id: "program-step" });
  function choose(item, index) {
    for (const other of root.querySelectorAll("[aria-selected=true]"))
      other.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
    item.focus();
    show(index);
  }

  function show(index) {
    keep({ step: index });
    details.replaceChildren(describeStep(profile, index));
    icicle.redraw();
  }

  root.addEventListener("keydown", (event) => {
    const item = event.target.closest("li[role=treeitem]");
    const all = [...root.querySelectorAll("li[role=treeitem]")].filter((i) => i.offsetParent);
    const at = all.indexOf(item);
    const next = event.key === "ArrowDown" ? all[at + 1] : event.key === "ArrowUp" ? all[at - 1] : null;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      item.openInTree(event.key === "ArrowRight");
    else if (next)
      choose(next, Number(next.dataset.step));
    else
      return;
    event.preventDefault();
  });

  function draw() {
    called.clear();
    root.replaceChildren();
    fill(root, data.program, filter.value.toLowerCase());
    const first = root.querySelector("li[aria-selected=true]") || root.querySelector("li[role=treeitem]");
    if (first)
      first.tabIndex = 0;
  }
  const icicle = makeIcicle(profile, { getTotal, choose: (index) => {
    const item = root.querySelector(`li[data-step="${index}"]`);
    if (item && item.offsetParent)
      choose(item, index);
    else
      show(index);
  } });
  draw();
  if (state.step !== null)
    details.replaceChildren(describeStep(profile, state.step));
  return [
    data.steps.length ? icicle.canvas : null,
    h("div", { class: "controls" }, filter, h("span", { class: "soft" }, "step, executions, cycles of all of them with what is in a loop, share of the time; the steps of a function count at its own calls")),
    h("div", { class: "columns" }, h("div", { class: "tree scroll", role: "tree", "aria-label": "program" }, root), details),
  ];
}

// All that is known of a step.
function describeStep(profile, index) {
  const { data } = profile;
  const step = data.steps[index], op = profile.opOfStep[index];
  const variables = (numbers) => h("span", {}, numbers.slice(0, 12).flatMap((n) => [link({ view: "liveness", variable: n, step: index }, data.variables[n].name), " "]), numbers.length > 12 ? `and ${numbers.length - 12} more` : "");
  return h("div", { class: "card" },
    h("h3", {}, `Step ${index}: `, chip(step.kind), `${step.kind} ${step.name}`),
    definitions([
      ["op", link({ view: "operations", op: op.name }, op.name)], ["location", step.location || "unknown"],
      step.codelets.length ? ["codelets", step.codelets.join(", ")] : null, step.method ? ["method", step.method] : null,
      ["executions", formatNumber(step.count)], ["cycles of one, by IPU", step.cycles.map(formatNumber).join(", ")],
      ["mean tile", formatNumber(step.mean_cycles)], ["busiest tile", link({ view: "memory", tile: step.busiest_tile }, formatNumber(step.busiest_tile))],
      ["balance", formatPermille(step.balance_permille)], step.flops ? ["flops", `${formatNumber(step.flops)} (${step.unit})`] : null,
      step.bytes ? ["bytes received", formatNumber(step.bytes)] : null, step.code_bytes ? ["bytes of code", formatNumber(step.code_bytes)] : null,
      step.exchange ? ["exchange", describeExchange(step)] : null, step.hidden_cycles ? ["hidden cycles", formatNumber(step.hidden_cycles)] : null,
      step.reads.length ? ["reads", variables(step.reads)] : null, step.writes.length ? ["writes", variables(step.writes)] : null,
      ["see", h("span", {}, link({ view: "trace", step: index }, "trace"), " ", link({ view: "program", step: index }, "program"), " ", link({ view: "liveness", step: index }, "liveness"))],
    ]));
}

function describeExchange(step) {
  const { sent, setup_cycles: setup, busiest_receiver: tile, max_received: most, links } = step.exchange;
  const text = `set-up ${formatNumber(setup)} cycles; ${formatNumber(sent)} bytes sent; tile ${formatNumber(tile)} receives most, ${formatNumber(most)} bytes`;
  return links.length ? `${text}; between IPUs ${links.map(([from, to, bytes]) => `${from} to ${to} ${formatNumber(bytes)}`).join(", ")}` : text;
}
VIEWS.push({ id: "program", title: "Program", make: viewProgram });
