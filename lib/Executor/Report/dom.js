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
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
  return element;
}

const grouped = new Intl.NumberFormat("en-US");
const formatNumber = (value) => grouped.format(value);

// As `permille` and the like of the profile: rounded down to a tenth.
const formatPermille = (permille) => `${Math.floor(permille / 10)}.${permille % 10} %`;

const getPermille = (part, whole) => (whole ? Math.floor((part * 1000) / whole) : 0);

const formatShare = (part, whole) => formatPermille(getPermille(part, whole));

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
