// Paths that remember what they are made of, under the name that plots use, so
// that they can be written as SVG.

const Path2D = class extends window.Path2D {
  constructor(other) {
    super(other);
    this.text = other ? other.text : "";
  }
};
for (const [name, write] of Object.entries({
  moveTo: (x, y) => `M${x} ${y}`,
  lineTo: (x, y) => `L${x} ${y}`,
  rect: (x, y, w, h) => `M${x} ${y}h${w}v${h}h${-w}z`,
  closePath: () => "z",
  bezierCurveTo: (...at) => `C${at.join(" ")}`,
  quadraticCurveTo: (...at) => `Q${at.join(" ")}`,
}))
  Path2D.prototype[name] = function (...given) {
    window.Path2D.prototype[name].apply(this, given);
    // A line without a start starts where it ends.
    this.text += name === "lineTo" && !this.text ? `M${given.join(" ")}` : write(...given);
  };
