// The program as a tree of steps, calls, loops and branches, which opens and closes.

// So many nodes of a sequence are listed at first, and so many are opened at once.
const CHILDREN = 500, OPENED = 2000;

// Options: getTotal (cycles of a node), choose(step). Has element, a filter, draw(), and
// select(step), which opens what the step is in and scrolls to it.
function makeProgramTree(profile, options) {
  const { data } = profile;
  const getStep = (node) => data.steps[getStepOf(node)];
  const getFunction = (node) => (node.function === undefined ? null : data.functions[node.function]);
  const root = h("ul", { role: "group" });
  const element = h("div", { class: "tree scroll", role: "tree", "aria-label": "program" }, root);
  const filter = h("input", { type: "search", placeholder: "filter", "aria-label": "filter the program", oninput: draw });
  // The functions of which a call is open, and how many nodes were opened.
  const called = new Set();
  let opened = 0;

  // Of each function, whether it has what is looked for.
  const found = new Map();
  const hasMatch = (nodes, text) => nodes.some((node) => matches(node, text));
  function functionMatches(node, text) {
    if (!found.has(node.function)) {
      // A function that calls itself, which none does, has nothing more.
      found.set(node.function, false);
      const { name, body } = getFunction(node);
      found.set(node.function, name.toLowerCase().includes(text) || hasMatch(body, text));
    }
    return found.get(node.function);
  }
  function matches(node, text) {
    const step = getStep(node);
    return !text || `${step.index} ${step.name} ${step.location} ${step.kind}`.toLowerCase().includes(text) ||
      (node.bodies || []).some((body) => hasMatch(body, text)) || (node.function !== undefined && functionMatches(node, text));
  }

  function makeItem(node, text) {
    const step = getStep(node), cycles = options.getTotal(node), io = profile.getIoCycles(step);
    const bodies = node.bodies || [], callee = getFunction(node);
    const mayOpen = bodies.length > 0 || callee !== null;
    const item = h("li", { role: "treeitem", "data-step": step.index, "aria-expanded": mayOpen ? "false" : null, "aria-selected": state.step === step.index ? "true" : "false", tabindex: "-1" });
    const names = bodies.length === 2 ? (step.name === "if" ? ["then", "else"] : ["condition", "body"]) : [""];
    let inner = null;
    item.openInTree = (yes) => {
      if (!mayOpen)
        return;
      item.setAttribute("aria-expanded", String(yes));
      mark.textContent = yes ? "▾" : "▸";
      if (yes && !inner) {
        inner = h("ul", { role: "group" });
        if (callee)
          fill(inner, callee.body, text);
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
      item.openInTree(item.getAttribute("aria-expanded") !== "true");
      choose(item);
    } }, mark, chip(step.kind), h("span", { class: "name", title: step.location }, `${step.index} ${callee ? "call " : ""}${step.name}`),
      h("span", { class: "number soft" }, `× ${formatNumber(step.count)}`),
      io ? h("span", { class: "number soft", "data-io": io, title: "cycles on I/O tiles, while the others compute" }, `I/O ${formatNumber(io)}`) : [],
      h("span", { class: "number", "data-cycles": cycles }, formatNumber(cycles)),
      h("span", { class: "number" }, formatShare(cycles, data.cycles))));
    // The steps of a function are opened at one call.
    if (mayOpen && !(callee && called.has(node.function)) && (text || data.steps.length < OPENED) && opened < OPENED) {
      opened++;
      if (callee)
        called.add(node.function);
      item.openInTree(true);
    }
    return item;
  }

  function fill(list, nodes, text) {
    const shown = text ? nodes.filter((n) => matches(n, text)) : nodes;
    list.append(...makeItems(shown, text, 0, shown.length));
  }

  // The first of the nodes with numbers in [from, to), and a button for the others.
  function makeItems(nodes, text, from, to) {
    const items = nodes.slice(from, Math.min(from + CHILDREN, to)).map((node) => makeItem(node, text));
    return from + CHILDREN < to ? [...items, makeGap(nodes, text, from + CHILDREN, to)] : items;
  }

  // A button that lists nodes in its place; `bring` lists those around a step, if it has it.
  function makeGap(nodes, text, from, to) {
    const button = h("button", { type: "button", onclick: () => {
      const items = makeItems(nodes, text, from, to);
      button.replaceWith(...items);
      items[0].focus();
    } }, `${formatNumber(to - from)} more`);
    button.bring = (step) => {
      const at = nodes.findIndex((node, i) => i >= from && i < to && getStepOf(node) === step);
      if (at < 0)
        return false;
      const first = at - ((at - from) % CHILDREN);
      button.replaceWith(...(first > from ? [makeGap(nodes, text, from, first)] : []), ...makeItems(nodes, text, first, to));
      return true;
    };
    return button;
  }

  function mark(item) {
    for (const other of root.querySelectorAll("[aria-selected=true]"))
      other.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
  }

  function choose(item) {
    mark(item);
    item.focus();
    options.choose(Number(item.dataset.step));
  }

  // The nodes around `step`, from the outside, in the first sequence that has it.
  const tried = new Set();
  function findPath(nodes, step) {
    for (const node of nodes) {
      if (getStepOf(node) === step)
        return [step];
      const inner = [...(node.bodies || [])];
      if (node.function !== undefined && !tried.has(node.function)) {
        tried.add(node.function);
        inner.push(getFunction(node).body);
      }
      for (const body of inner) {
        const path = findPath(body, step);
        if (path)
          return [getStepOf(node), ...path];
      }
    }
    return null;
  }

  function select(step) {
    tried.clear();
    let list = root, item = null;
    for (const part of findPath(data.program, step) || []) {
      item?.openInTree(true);
      list = item ? item.querySelector(":scope > ul") : root;
      const find = () => list.querySelector(`:scope > li[data-step="${part}"]`);
      item = find();
      if (!item && [...list.querySelectorAll(":scope > button")].some((gap) => gap.bring(part)))
        item = find();
      // A filter may hide it.
      if (!item)
        return;
    }
    if (!item)
      return;
    mark(item);
    const row = item.querySelector(".row");
    whenShown(row, () => {
      const box = element.getBoundingClientRect(), own = row.getBoundingClientRect();
      if (own.top < box.top || own.bottom > box.bottom)
        element.scrollTop += own.top - box.top - box.height / 2;
    });
  }

  root.addEventListener("keydown", (event) => {
    const item = event.target.closest("li[role=treeitem]");
    // Buttons that list more have keys of their own.
    if (event.target.matches("button") || !item)
      return;
    const all = [...root.querySelectorAll("li[role=treeitem]")].filter((i) => i.offsetParent);
    const at = all.indexOf(item);
    const next = event.key === "ArrowDown" ? all[at + 1] : event.key === "ArrowUp" ? all[at - 1] : null;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft")
      item.openInTree(event.key === "ArrowRight");
    else if (next)
      choose(next);
    else
      return;
    event.preventDefault();
  });

  function draw() {
    called.clear();
    found.clear();
    opened = 0;
    root.replaceChildren();
    fill(root, data.program, filter.value.toLowerCase());
    const first = root.querySelector("li[aria-selected=true]") || root.querySelector("li[role=treeitem]");
    if (first)
      first.tabIndex = 0;
  }
  draw();
  return { element, filter, select };
}
