// What loading found, as `grbda check` says it, and what the page cannot draw.
import { byId, make } from "../element.js";

export function showFindings(findings, robot) {
  // the page asks for spherical joints of every robot, and most have none to make
  const list = findings.filter((finding) => !finding.text.includes("no joint became spherical")).map((finding) => ({ severity: finding.severity, text: finding.text.replace(/(error|warning|note): /, "") }));
  for (const shape of robot?.info.shapes ?? [])
    if (shape.kind === "mesh" && !robot.meshes.of(shape.mesh).length)
      list.push({ severity: "note", text: `${shape.link}: the mesh ${shape.mesh} is not among the files, or is no STL or OBJ` });
  list.sort((a, b) => ["error", "warning", "note"].indexOf(a.severity) - ["error", "warning", "note"].indexOf(b.severity));
  byId("count").textContent = list.length ? `(${list.length})` : "(none)";
  byId("list").replaceChildren(...list.map((each) => make("li", { className: each.severity, textContent: `${each.severity}: ${each.text}` })));
}
