// Records of a simulation: rows of numbers under named columns, as `grbda simulate` writes them.

/** Names of the columns of q, q̇ or τ: {name, cluster}; `size` of a body's part. */
function names(robot, prefix, size) {
  return robot.bodies.flatMap((body) => {
    const count = size(body), cluster = robot.clusterOf(body.index);
    return Array.from({ length: count }, (_, k) => ({ name: `${prefix}:${body.joint}${count > 1 ? `[${k}]` : ""}`, cluster }));
  });
}
export const columnsOf = (robot) => names(robot, "q", ({ freedoms }) => freedoms.length + (freedoms.includes("rotation") ? 1 : 0));
const velocities = (robot, prefix) => names(robot, prefix, ({ freedoms }) => freedoms.length);

/** Makes names unique: a joint "a[0]" and the first coordinate of a joint "a" have the same column name, and follow each other in
 *  the order of the joints. */
function numbered(list) {
  const seen = new Map();
  return list.map((name) => {
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return `${seen.get(name)} ${name}`;
  });
}

/** How numbers in columns become q of the page's robot: {missing, spread}. `missing`: the first column that it lacks.
 *  `spread(row)` leaves joints of rods, which may lack columns, as NaN: the engine closes their loops. */
export function placesOf(robot, columns) {
  const place = new Map(numbered(columns).map((name, i) => [name, i])), listed = columnsOf(robot);
  const keys = numbered(listed.map(({ name }) => name)), wanted = listed.map((each, i) => ({ ...each, at: place.get(keys[i]) }));
  const given = new Set(wanted.filter(({ at }) => at !== undefined).map(({ cluster }) => cluster));
  const missing = wanted.find(({ at, cluster }) => at === undefined && !(cluster.rows > 0 && given.has(cluster)))?.name;
  return { missing, spread: (row) => wanted.map(({ at }) => (at === undefined ? NaN : row[at])) };
}
/** A row's numbers of q̇ ("qd") or of joint forces ("tau"), one for each velocity; null if the row lacks some. */
export function velocitiesOf(robot, columns, prefix) {
  const place = new Map(numbered(columns).map((name, i) => [name, i])), keys = numbered(velocities(robot, prefix).map(({ name }) => name));
  const at = keys.map((key) => place.get(key));
  return (row) => (at.every((i) => i !== undefined && Number.isFinite(row[i])) ? at.map((i) => row[i]) : null);
}

const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
export const writeCsv = (rows) => rows.map((cells) => cells.map((cell) => quoted(String(cell))).join(",") + "\n").join("");

/** Rows of cells; cells may be in quotes, lines end with or without a carriage return, and those that start with # are left out. */
export function parseCsv(text) {
  const rows = [[]];
  for (const [, cell, plain, end] of text.replace(/^#.*(\r?\n|$)/gm, "").trim().matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(cell === undefined ? plain : cell.replaceAll('""', '"'));
    if (end === "") break;
    if (end !== ",") rows.push([]);
  }
  return rows;
}

/** A CSV or JSON file of `grbda simulate` as {columns, rows}; throws an Error that says what is wrong. */
export function parseRecord(text) {
  const isJson = text.trimStart().startsWith("{");
  const [head, ...cells] = isJson ? [] : parseCsv(text);
  const { columns, rows } = isJson ? JSON.parse(text) : { columns: head, rows: cells.map((row) => row.map((cell) => (cell === "" ? NaN : Number(cell)))) };
  if (!Array.isArray(columns) || !Array.isArray(rows)) throw new Error("it has no columns and rows, as `grbda simulate` writes them");
  if (!rows.length) throw new Error("it has no rows");
  const short = rows.findIndex((row) => !Array.isArray(row) || row.length !== columns.length);
  if (short >= 0) throw new Error(`row ${short + 1} has ${rows[short]?.length ?? 0} numbers, the header has ${columns.length} columns`);
  return { columns, rows };
}
