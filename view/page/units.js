// Numbers as people read them: degrees and millimetres, or radians and metres.

/** Without a sign of what is rounded to zero. */
const fixed = (x, digits) => x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1");

export class Units {
  constructor() { this.common = true; }
  length(x) { return this.common ? `${fixed(1000 * x, 1)} mm` : `${fixed(x, 4)} m`; }
  angle(x) { return this.common ? `${fixed(x * 180 / Math.PI, 1)}°` : `${fixed(x, 4)} rad`; }
  of(freedom, x) { return freedom === "slide" ? this.length(x) : this.angle(x); }
}
export const plural = (n, word, many = `${word}s`) => `${n} ${n === 1 ? word : many}`;
export function short(x) {
  const size = Math.abs(x);
  return size === 0 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}
