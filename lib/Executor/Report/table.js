// Tables that sort and filter and make only the rows that can be seen.

const ROW_HEIGHT = 26;

// Columns: {title, get, format, number, hint}. Options: label, rows, columns,
// sort (a title), filter (what a text is looked for in), isSelected, choose.
function makeTable(options) {
  const { columns } = options;
  let sorted = columns.find((c) => c.title === options.sort) || null;
  let descending = sorted ? Boolean(sorted.number) : false;
  let rows = [];

  const body = h("tbody");
  const headers = columns.map((column) =>
    h("th", { scope: "col", class: column.number ? "number" : null, title: column.hint },
      h("button", { type: "button", onclick: () => sortBy(column) }, column.title)));
  const table = h("table", { "aria-label": options.label }, h("thead", {}, h("tr", {}, headers)), body);
  const scroll = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": options.label, onscroll: draw }, table);
  const count = h("span", { class: "soft", "aria-live": "polite" });
  const filter = h("input", { type: "search", placeholder: "filter", "aria-label": `filter ${options.label}`, oninput: update });

  function sortBy(column) {
    descending = sorted === column ? !descending : Boolean(column.number);
    sorted = column;
    update();
  }

  function update() {
    const text = filter.value.toLowerCase();
    rows = options.rows.filter((row) => !text || options.filter(row).toLowerCase().includes(text));
    if (options.accepts)
      rows = rows.filter(options.accepts);
    if (sorted) {
      const order = rows.map((row, i) => [sorted.get(row), i]);
      order.sort(([a, i], [b, j]) => (a === b ? i - j : (a < b ? -1 : 1) * (descending ? -1 : 1)));
      rows = order.map(([, i]) => rows[i]);
    }
    headers.forEach((header, i) => {
      header.setAttribute("aria-sort", columns[i] !== sorted ? "none" : descending ? "descending" : "ascending");
    });
    count.textContent = `${formatNumber(rows.length)} of ${formatNumber(options.rows.length)}`;
    draw();
  }

  function makeRow(row, number) {
    const element = h("tr", {
      "data-row": number,
      class: options.choose ? "link" : null,
      tabindex: options.choose ? "0" : null,
      "aria-selected": options.isSelected && options.isSelected(row) ? "true" : null,
      onclick: (event) => options.choose && options.choose(row, event),
      onkeydown: (event) => {
        if (event.key === "Enter" && options.choose)
          options.choose(row, event);
      },
    });
    for (const column of columns) {
      const value = column.get(row);
      const text = column.format ? column.format(value, row) : column.number ? formatNumber(value) : value;
      element.append(h("td", { class: column.number ? "number" : null, title: typeof text === "string" && text.length > 40 ? text : null }, text));
    }
    return element;
  }

  function draw() {
    const height = scroll.clientHeight || 600;
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW_HEIGHT) - 20);
    const last = Math.min(rows.length, first + Math.ceil(height / ROW_HEIGHT) + 60);
    const space = (n) => h("tr", { "aria-hidden": "true" }, h("td", { colspan: columns.length, style: { height: `${n * ROW_HEIGHT}px`, padding: 0, border: 0 } }));
    const focused = body.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    const visible = rows.slice(first, last).map((row, i) => makeRow(row, first + i));
    body.replaceChildren(...(first > 0 ? [space(first)] : []), ...visible, ...(last < rows.length ? [space(rows.length - last)] : []));
    // The focus stays where it was, for the keyboard.
    if (focused)
      visible.find((row) => row.dataset.row === focused)?.focus({ preventScroll: true });
  }

  // Scrolls to the selected row, if it is out of sight.
  function reveal() {
    const at = rows.findIndex(options.isSelected), top = at * ROW_HEIGHT, height = scroll.clientHeight;
    // One row is under the header.
    if (at >= 0 && height && (top < scroll.scrollTop || top + 2 * ROW_HEIGHT > scroll.scrollTop + height))
      scroll.scrollTop = Math.max(0, top - height / 2);
    draw();
  }

  // Other rows, with the filter and the order that were chosen.
  function setRows(others) {
    options.rows = others;
    update();
  }

  // The rows that are chosen and in their order, all of them. A spreadsheet must not
  // read a name as a formula.
  function save() {
    const guard = (value) => (typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value));
    const quote = (value) => (/[",\r\n]/.test(value) ? `"${guard(value).replaceAll('"', '""')}"` : guard(value));
    const lines = [columns.map((column) => column.title), ...rows.map((row) => columns.map((column) => column.get(row)))];
    saveBlob(new Blob([lines.map((line) => `${line.map(quote).join(",")}\r\n`).join("")], { type: "text/csv" }), `${options.label.replaceAll(" ", "-")}.csv`);
  }

  update();
  redraws.set(scroll, draw);
  if (options.isSelected)
    whenShown(scroll, reveal);
  const csv = h("button", { type: "button", class: "csv", title: "saves these rows", onclick: save }, "CSV");
  return { element: h("div", {}, h("div", { class: "controls" }, filter, options.controls || [], csv, count), scroll), update, draw, reveal, setRows };
}
