// Elements and text. Names come from models: they are text, never markup.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (key === "style")
      Object.assign(element.style, value);
    else if (value !== undefined && value !== null && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  }
  // One by one: there may be more than the arguments of a call.
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined)
      element.append(child);
  return element;
}

const grouped = new Intl.NumberFormat("en-US");
// Costs of steps saturate at this number, and sums of them at greater ones.
const SATURATED = 2 ** 53;
const mayBeSaturated = (value) => value >= SATURATED;

function formatNumber(value) {
  if (!mayBeSaturated(value))
    return grouped.format(value);
  const exponent = Math.floor(Math.log10(value));
  return `at least ${(Math.floor(value / 10 ** (exponent - 2)) / 100).toFixed(2)}e${exponent}`;
}

// A quotient that may be small, rounded down to hundredths.
const formatQuotient = (value) => (value < 100 ? (Math.floor(value * 100) / 100).toFixed(2) : formatNumber(Math.floor(value)));

// As `permille` and the like of the profile: rounded down to a tenth.
const formatPermille = (permille) => `${Math.floor(permille / 10)}.${permille % 10} %`;

const getPermille = (part, whole) => (whole ? Math.floor((part * 1000) / whole) : 0);

const formatShare = (part, whole) => (mayBeSaturated(whole) ? "unknown" : formatPermille(getPermille(part, whole)));

function formatTime(nanoseconds) {
  const whole = Math.floor(nanoseconds / 1000);
  return `${formatNumber(whole)}.${String(nanoseconds % 1000).padStart(3, "0")} µs`;
}

// Signed, with a word, so that no colour is needed.
function formatDifference(before, after) {
  const difference = after - before;
  if (difference === 0)
    return "same";
  const sign = difference > 0 ? "+" : "−";
  const share = before ? ` (${sign}${((Math.abs(difference) / before) * 100).toFixed(1)} %)` : "";
  return `${difference > 0 ? "▲ more" : "▼ less"} ${sign}${formatNumber(Math.abs(difference))}${share}`;
}

const KINDS = ["compute", "exchange", "sync", "host", "collective", "remote", "code"];
const colourOf = (kind) => `var(--${kind})`;
const chip = (kind) => h("span", { class: "chip", style: { background: colourOf(kind) }, "aria-hidden": "true" });
const getStyle = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function definitions(entries) {
  return h("dl", {}, entries.filter((e) => e).map(([term, value]) => [h("dt", { class: "soft" }, term), h("dd", { "data-term": term }, value)]));
}

// The greatest of `values`, which may be too many for the arguments of a call.
const getMost = (values, least = 0) => values.reduce((most, value) => Math.max(most, value), least);

// What is to be done with elements as soon as the page has them, and knows their sizes.
const waiting = [];
function whenShown(element, action) {
  if (element.isConnected)
    action();
  else
    waiting.push({ element, action });
}
function doWaiting() {
  for (const { element, action } of waiting.splice(0))
    if (element.isConnected)
      action();
}

// The first of `items`, and a button that shows the others.
function listSome(items, limit) {
  const list = h("span", {}, items.slice(0, limit));
  if (items.length > limit)
    list.append(h("button", { type: "button", class: "more", onclick: (event) => {
      event.currentTarget.remove();
      for (const part of items.slice(limit).flat(Infinity))
        list.append(part);
      list.querySelectorAll("a")[limit]?.focus();
    } }, `and ${formatNumber(items.length - limit)} more`));
  return list;
}

// A part of a view that is made when it is opened.
const fold = (title, make) => h("details", { ontoggle: (event) => {
  const [summary, ...rest] = event.currentTarget.children;
  for (const element of rest)
    element.remove();
  if (event.currentTarget.open)
    summary.after(make());
} }, h("summary", {}, title));

// Which `size` of many rows are drawn, where a picture of all would be too high.
// `change` draws the others. Has element (null if all are drawn), from, to, and
// bring(row), which chooses the rows that are drawn with `row`.
function makeGroups({ count, size, name, change }) {
  const groups = { from: 0, to: Math.min(size, count), element: null, bring: () => {} };
  if (count <= size)
    return groups;
  const select = h("select", { "aria-label": name, onchange: () => {
    groups.bring(Number(select.value));
    change();
  } });
  for (let from = 0; from < count; from += size)
    select.append(h("option", { value: from }, `${formatNumber(from)} to ${formatNumber(Math.min(from + size, count) - 1)}`));
  groups.bring = (row) => {
    groups.from = row - (row % size);
    groups.to = Math.min(groups.from + size, count);
    select.value = groups.from;
  };
  groups.element = h("label", { class: "group" }, `${name} `, select, ` of ${formatNumber(count)}`);
  return groups;
}

// A line near the pointer.
const tip = h("div", { class: "tip", hidden: true });
function showTip(event, text) {
  tip.hidden = !text;
  if (!text)
    return;
  tip.textContent = text;
  const space = 14;
  tip.style.left = `${Math.min(event.clientX + space, innerWidth - tip.offsetWidth - 4)}px`;
  tip.style.top = `${Math.min(event.clientY + space, innerHeight - tip.offsetHeight - 4)}px`;
}
