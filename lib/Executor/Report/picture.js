// Views as pictures: SVG of shapes and text, and PNG of that. What is drawn on a
// canvas is written down call by call while the canvas draws itself once more.

// For each canvas, and for the rows of each table, what draws it.
const redraws = new WeakMap();

const SVG = "http://www.w3.org/2000/svg";

// XML has no place for these, wherever a name has them from.
const toXml = (text) => String(text).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined)
      element.setAttribute(key, toXml(value));
  element.append(...children);
  return element;
}

const round = (number) => Math.round(number * 100) / 100;

// A colour of CSS as attributes `name` and `name-opacity`.
function paint(name, colour) {
  const parts = /^rgba?\(([\d.]+), ?([\d.]+), ?([\d.]+)(?:, ?([\d.]+))?\)$/.exec(colour);
  if (!parts)
    return { [name]: colour };
  const hex = parts.slice(1, 4).map((part) => Math.round(Number(part)).toString(16).padStart(2, "0")).join("");
  return { [name]: `#${hex}`, [`${name}-opacity`]: parts[4] === undefined || parts[4] === "1" ? null : parts[4] };
}

let clips = 0;

// Writes down what is drawn on `context` until `stop`. The methods of the context
// are covered by others, which call them.
class Recorder {
  constructor(context) {
    this.context = context;
    this.root = svg("g", {});
    this.path = "";
    this.clipId = null;
    this.saved = [];
    const own = Object.getPrototypeOf(context);
    this.covered = [];
    for (const name of ["save", "restore", "beginPath", "closePath", "moveTo", "lineTo", "rect", "arc", "clip", "fill", "stroke", "fillRect", "strokeRect", "fillText"]) {
      this.covered.push(name);
      context[name] = (...given) => {
        this[name](...given);
        return own[name].apply(context, given);
      };
    }
  }

  stop() {
    for (const name of this.covered)
      delete this.context[name];
    return this.root;
  }

  add(tag, attributes) {
    const { a, b, c, d, e, f } = this.context.getTransform();
    const isPlain = a === 1 && b === 0 && c === 0 && d === 1 && e === 0 && f === 0;
    const element = svg(tag, Object.assign({ transform: isPlain ? null : `matrix(${[a, b, c, d, e, f].map(round).join(" ")})` }, attributes));
    // The clip is not moved with what it clips.
    this.root.append(this.clipId ? svg("g", { "clip-path": `url(#${this.clipId})` }, element) : element);
  }

  getStroke() {
    const dashes = this.context.getLineDash();
    return Object.assign({ fill: "none", "stroke-width": this.context.lineWidth, "stroke-dasharray": dashes.length ? dashes.join(" ") : null }, paint("stroke", this.context.strokeStyle));
  }

  save() { this.saved.push(this.clipId); }
  restore() { this.clipId = this.saved.length ? this.saved.pop() : null; }
  beginPath() { this.path = ""; }
  closePath() { this.path += "z"; }
  moveTo(x, y) { this.path += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.path += `${this.path ? "L" : "M"}${round(x)} ${round(y)}`; }
  rect(x, y, w, h) { this.path += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`; }
  arc(x, y, r) { this.path += `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`; }
  getPath(given) { return given instanceof Path2D ? given.text : this.path; }

  clip(given) {
    const path = this.getPath(given);
    const id = `clip${++clips}`;
    const { a, b, c, d, e, f } = this.context.getTransform();
    const shape = svg("path", { d: path, transform: `matrix(${[a, b, c, d, e, f].map(round).join(" ")})` });
    const outer = this.clipId ? `url(#${this.clipId})` : null;
    this.root.append(svg("clipPath", { id, "clip-path": outer }, shape));
    this.clipId = id;
  }
  fill(given) { this.add("path", Object.assign({ d: this.getPath(given) }, paint("fill", this.context.fillStyle))); }
  stroke(given) { this.add("path", Object.assign({ d: this.getPath(given) }, this.getStroke())); }
  fillRect(x, y, width, height) {
    if (width > 0 && height > 0)
      this.add("rect", Object.assign({ x: round(x), y: round(y), width: round(width), height: round(height) }, paint("fill", this.context.fillStyle)));
  }
  strokeRect(x, y, width, height) {
    this.add("rect", Object.assign({ x: round(x), y: round(y), width: Math.max(0, round(width)), height: Math.max(0, round(height)) }, this.getStroke()));
  }
  fillText(text, x, y) {
    const anchors = { start: null, left: null, center: "middle", right: "end", end: "end" };
    const baselines = { alphabetic: null, middle: "central", top: "text-before-edge", hanging: "text-before-edge", bottom: "text-after-edge" };
    const element = { x: round(x), y: round(y), style: `font: ${this.context.font}`, "text-anchor": anchors[this.context.textAlign], "dominant-baseline": baselines[this.context.textBaseline] };
    this.add("text", Object.assign(element, paint("fill", this.context.fillStyle)));
    this.root.lastChild.matches("text") ? this.root.lastChild.append(toXml(text)) : this.root.lastChild.firstChild.append(toXml(text));
  }
}

async function drawCanvas(canvas) {
  const recorder = new Recorder(canvas.getContext("2d"));
  redraws.get(canvas)();
  // Plots draw in a task of their own.
  await null;
  await null;
  return recorder.stop();
}

// What CSS says of an element's own look, as shapes below what is in it.
function drawBox(style, box) {
  const shapes = [];
  const isSeen = (colour) => colour && colour !== "transparent" && !/^rgba\(.*, 0\)$/.test(colour);
  const place = { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
  if (isSeen(style.backgroundColor))
    shapes.push(svg("rect", Object.assign({ rx: parseFloat(style.borderTopLeftRadius) || null }, place, paint("fill", style.backgroundColor))));
  const sides = { Top: [0, 0, 1, 0], Right: [1, 0, 1, 1], Bottom: [0, 1, 1, 1], Left: [0, 0, 0, 1] };
  for (const [side, [x1, y1, x2, y2]] of Object.entries(sides)) {
    const width = parseFloat(style[`border${side}Width`]);
    const colour = style[`border${side}Color`];
    if (width > 0 && style[`border${side}Style`] !== "none" && isSeen(colour))
      shapes.push(svg("line", Object.assign({ x1: round(box.x + x1 * box.width), y1: round(box.y + y1 * box.height), x2: round(box.x + x2 * box.width), y2: round(box.y + y2 * box.height), "stroke-width": width }, paint("stroke", colour))));
  }
  return shapes;
}

const ruler = document.createElement("canvas").getContext("2d");

function drawText(text, box, style) {
  const font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  ruler.font = font;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = ruler.measureText(text);
  return svg("text", Object.assign({ x: round(box.x), y: round(box.y + (box.height + ascent - descent) / 2), style: `font: ${font}`, "xml:space": "preserve" }, paint("fill", style.color)), toXml(text));
}

// The words of a node of text, those of a line together.
function getLines(node) {
  const range = document.createRange(), lines = [];
  for (const word of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].trimEnd().length);
    const box = range.getBoundingClientRect();
    const last = lines[lines.length - 1];
    if (!box.width)
      continue;
    if (last && Math.abs(last.box.y - box.y) < 2)
      last.text += word[0];
    else
      lines.push({ box, text: word[0] });
  }
  return lines.map(({ box, text }) => ({ box, text: text.trimEnd().replace(/\s/g, " ") }));
}

// Adds what `element` and all in it look like to `group`. Headers that stay while what
// is below them scrolls are added to `late`, to be drawn over it.
async function drawElement(element, group, late) {
  const style = getComputedStyle(element);
  if (style.position === "sticky" && late) {
    late.push(element);
    return;
  }
  const box = element.getBoundingClientRect();
  if (style.display === "none" || style.visibility === "hidden" || element.hidden)
    return;
  group.append(...drawBox(style, box));
  if (element instanceof HTMLCanvasElement) {
    if (!redraws.has(element))
      return;
    const scale = box.width / element.width;
    const drawn = await drawCanvas(element);
    drawn.setAttribute("transform", `translate(${round(box.x)} ${round(box.y)}) scale(${scale})`);
    group.append(drawn);
    return;
  }
  let inner = group, own = late;
  if (style.overflowX !== "visible" || style.overflowY !== "visible") {
    const id = `clip${++clips}`;
    own = [];
    inner = svg("g", { "clip-path": `url(#${id})` });
    group.append(svg("clipPath", { id }, svg("rect", { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) })), inner);
  }
  const shown = element instanceof HTMLSelectElement ? element.selectedOptions[0]?.text : element instanceof HTMLInputElement ? element.value || element.placeholder : null;
  if (shown !== null) {
    const line = parseFloat(style.fontSize) * 1.3;
    inner.append(drawText(shown || "", { x: box.x + parseFloat(style.paddingLeft) + 1, y: box.y + (box.height - line) / 2, height: line }, style));
    return;
  }
  for (const node of element.childNodes)
    if (node.nodeType === Node.TEXT_NODE)
      for (const { box: at, text } of getLines(node))
        inner.append(drawText(text, at, style));
    else if (node.nodeType === Node.ELEMENT_NODE)
      await drawElement(node, inner, own);
  if (own !== late)
    for (const header of own)
      await drawElement(header, inner, null);
}

// What the page shows of its view, as text of an SVG file and its size.
async function drawView(view, title) {
  const box = view.getBoundingClientRect();
  const width = Math.ceil(box.width), height = Math.ceil(box.height);
  const moved = svg("g", { transform: `translate(${round(-box.x)} ${round(-box.y)})` });
  await drawElement(view, moved, null);
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` },
    svg("title", {}, toXml(title)), svg("rect", Object.assign({ width, height }, paint("fill", getStyle("--back")))), moved);
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

function saveBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  // Not before the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Throws, with a message for the user, if the browser cannot make the picture.
async function savePicture(view, name, type) {
  const { text, width, height } = await drawView(view, document.title);
  if (type === "svg") {
    saveBlob(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`);
    return;
  }
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  const scale = Math.max(1, window.devicePixelRatio || 1);
  const canvas = h("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  let blob = null;
  try {
    await image.decode();
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    blob = await new Promise((done) => canvas.toBlob(done));
  } catch {
    // As if there were no file.
  }
  if (!blob)
    throw new Error(`the browser cannot save a picture of ${formatNumber(canvas.width)} × ${formatNumber(canvas.height)} pixels as PNG; SVG has no such limit`);
  saveBlob(blob, `${name}.png`);
}
