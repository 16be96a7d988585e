// One box for all names: ops, steps and variables lead to the views that show them.

// So many of each kind are listed at first.
const MATCHES = 8;

function makeSearch(profile) {
  const { data } = profile;
  const kinds = {
    ops: data.ops.map((op) => ({ text: op.name, what: "op", to: { view: "operations", op: op.name } })),
    variables: data.variables.map((variable, number) => ({ text: variable.name, also: variable.location, what: "variable", to: { view: "liveness", variable: number, step: null } })),
    steps: data.steps.map((step) => ({ text: `${step.index} ${step.name}`, also: `${step.kind} ${step.location}`, what: `step, ${step.kind}`, to: { view: "trace", step: step.index } })),
  };
  for (const entry of Object.values(kinds).flat())
    entry.key = `${entry.text} ${entry.also || ""}`.toLowerCase();
  const list = h("div", { id: "matches", role: "listbox", "aria-label": "matches", hidden: true });
  const input = h("input", { id: "search", type: "search", placeholder: "search", "aria-label": "search ops, steps and variables", "aria-controls": "matches", autocomplete: "off", oninput: () => update({}), onkeydown: (event) => {
    if (event.key === "ArrowDown" && list.firstChild)
      list.firstChild.focus();
    else if (event.key === "Enter" && list.firstChild)
      list.firstChild.click();
    else if (event.key === "Escape")
      close();
    else
      return;
    event.preventDefault();
  } });

  function close() {
    input.value = "";
    list.hidden = true;
    input.blur();
  }

  // Lists what has all words: of each kind the first ones, and how many more there are.
  // `limits` has the kinds of which more are listed.
  function update(limits) {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
    list.replaceChildren();
    list.hidden = !words.length;
    for (const [kind, entries] of words.length ? Object.entries(kinds) : []) {
      const found = entries.filter((entry) => words.every((word) => entry.key.includes(word)));
      const limit = limits[kind] || MATCHES, more = found.length - limit;
      list.append(...found.slice(0, limit).map((entry) => h("button", { type: "button", role: "option", onclick: () => {
        close();
        go(entry.to);
      } }, h("span", { class: "soft" }, `${entry.what} `), entry.text)));
      if (more > 0)
        list.append(h("button", { type: "button", role: "option", class: "soft", "data-more": kind, onclick: () => {
          const next = [...list.children].findIndex((child) => child.dataset.more === kind);
          update({ ...limits, [kind]: 4 * limit });
          list.children[next].focus();
        } }, `${formatNumber(more)} more ${more > 1 ? kind : kind.slice(0, -1)}`));
    }
    if (words.length && !list.firstChild)
      list.append(h("p", { class: "soft" }, "nothing has all of these words"));
  }

  list.addEventListener("keydown", (event) => {
    const next = { ArrowDown: "nextSibling", ArrowUp: "previousSibling" }[event.key];
    if (event.key === "Escape")
      close();
    else if (next)
      (document.activeElement[next] || input).focus();
    else
      return;
    event.preventDefault();
  });
  return h("span", { class: "search" }, input, list);
}
