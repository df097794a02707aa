// Round numbers for axes and scales.

const DIGITS = [1, 2, 5, 10];

/** The next of 1, 2, 5, 10, 20, … that is not below x. */
export function rounded(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return DIGITS.map((digit) => digit * power).find((value) => value >= x * (1 - 1e-9));
}
/** Round numbers between two, about `count` of them. */
export function ticks(low, high, count) {
  const step = rounded((high - low) / count), list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) list.push(Number((i * step).toPrecision(12)));
  return list;
}
