// Numbers as people read them: degrees and millimetres, or radians and metres.

/** Without a sign of what is rounded to zero. */
const fixed = (x, digits) => x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");

export class Units {
  constructor() { this.common = true; }
  /** What a number in rad or m is multiplied by, the name of the unit, and its digits. */
  scale(freedom) { return !this.common ? 1 : freedom === "slide" ? 1000 : 180 / Math.PI; }
  name(freedom) { return freedom === "slide" ? (this.common ? "mm" : "m") : this.common ? "°" : "rad"; }
  number(freedom, x) { return fixed(x * this.scale(freedom), this.common ? 1 : 4); }
  length(x) { return `${this.number("slide", x)} ${this.name("slide")}`; }
  of(freedom, x) { return `${this.number(freedom, x)}${this.common && freedom !== "slide" ? "" : " "}${this.name(freedom)}`; }
}
export const plural = (n, word, many = `${word}s`) => `${n} ${n === 1 ? word : many}`;
export function short(x) {
  const size = Math.abs(x);
  return size === 0 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}
