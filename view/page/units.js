// Numbers as people read them: degrees and millimetres, or radians and metres.

export class Units {
  constructor() { this.common = true; }
  length(x) { return this.common ? `${(1000 * x).toFixed(1)} mm` : `${x.toFixed(4)} m`; }
  angle(x) { return this.common ? `${(x * 180 / Math.PI).toFixed(1)}°` : `${x.toFixed(4)} rad`; }
  of(freedom, x) { return freedom === "slide" ? this.length(x) : this.angle(x); }
}
export function short(x) {
  const size = Math.abs(x);
  return size === 0 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}
