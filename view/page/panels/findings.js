// Lists the findings of loading, in the words of `grbda check`, meshes that cannot be drawn, and problems of the page.
import { byId, make } from "../element.js";
import { plural } from "../units.js";

/** What the list shows, [{severity, text}]. */
let shown = [];

function showList() {
  const errors = shown.filter(({ severity }) => severity === "error").length, rest = shown.length - errors;
  byId("count").textContent = [errors && plural(errors, "error"), rest && plural(rest, "note")].filter(Boolean).join(", ") || "none";
  if (errors) byId("findings-fold").open = true;
  byId("list").replaceChildren(...shown.map((each) => make("li", { className: each.severity, textContent: `${each.severity}: ${each.text}` })));
}
/** Adds a finding at the top, once. */
export function addFinding(severity, text) {
  if (shown.some((each) => each.text === text)) return;
  shown.unshift({ severity, text });
  showList();
}

export function showFindings(findings, robot) {
  // `grbda check` does not ask for spherical joints; the page asks for them, and need not say what becomes of it
  const list = findings.filter((finding) => !/one spherical joint in place of|no joint became spherical/.test(finding.text))
    .map(({ severity, text }) => ({ severity, text: text.replace(/(error|warning|note): /, "") }));
  const meshes = new Map((robot?.info.shapes ?? []).filter((shape) => shape.kind === "mesh").map((shape) => [shape.mesh, shape.link]));
  for (const [mesh, link] of meshes) {
    const { problem } = robot.meshes.of(mesh);
    if (problem) list.push({ severity: "note", text: `${link}: the mesh ${mesh} ${problem}` });
  }
  list.sort((a, b) => ["error", "warning", "note"].indexOf(a.severity) - ["error", "warning", "note"].indexOf(b.severity));
  shown = list;
  showList();
}
