// One box for all names: ops, steps and variables lead to the views that show them.

const MATCHES = 24;

function makeSearch(profile) {
  const { data } = profile;
  const entries = [
    ...data.ops.map((op) => ({ text: op.name, what: "op", to: { view: "operations", op: op.name } })),
    ...data.variables.map((variable, number) => ({ text: variable.name, also: variable.location, what: "variable", to: { view: "liveness", variable: number, step: null } })),
    ...data.steps.map((step) => ({ text: `${step.index} ${step.name}`, also: `${step.kind} ${step.location}`, what: `step, ${step.kind}`, to: { view: "trace", step: step.index } })),
  ];
  for (const entry of entries)
    entry.key = `${entry.text} ${entry.also || ""}`.toLowerCase();
  const list = h("div", { id: "matches", role: "listbox", "aria-label": "matches", hidden: true });
  const input = h("input", { id: "search", type: "search", placeholder: "search", "aria-label": "search ops, steps and variables", "aria-controls": "matches", autocomplete: "off", oninput: update, onkeydown: (event) => {
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

  function update() {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
    const found = [];
    for (let i = 0; words.length && i < entries.length && found.length < MATCHES; i++)
      if (words.every((word) => entries[i].key.includes(word)))
        found.push(entries[i]);
    list.replaceChildren(...found.map((entry) => h("button", { type: "button", role: "option", onclick: () => {
      close();
      go(entry.to);
    } }, h("span", { class: "soft" }, `${entry.what} `), entry.text)));
    if (words.length && !found.length)
      list.append(h("p", { class: "soft" }, "nothing has all of these words"));
    list.hidden = !words.length;
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
