// Fills the template with a robot, as `grbda view` does: for tests and the gallery. Usage: fill.mjs TEMPLATE PAGE FILE…
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** The page of a robot from the template's text. */
export function fill(template, paths, options = {}) {
  const files = paths.map((path) => ({ path: basename(path), text: readFileSync(path, "utf8") }));
  const robot = JSON.stringify({ files, main: files.map((file) => file.path), options }).replaceAll("<", "\\u003c");
  return template.replace("/*ROBOT*/", () => robot);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [template, page, ...paths] = process.argv.slice(2);
  writeFileSync(page, fill(readFileSync(template, "utf8"), paths));
}
