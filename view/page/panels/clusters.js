// The cluster tree, with a bar for how well its coordinates determine each cluster, and why bodies are in one cluster.
import { byId, make } from "../element.js";
import { plural } from "../units.js";

export class Clusters {
  constructor(app) { this.app = app; }

  build() {
    const { robot } = this.app;
    this.buttons = robot.clusters.map((cluster) => this.button(cluster));
    const list = (parent) => {
      const children = robot.clusters.filter((cluster) => cluster.parent_cluster === parent);
      if (!children.length) return null;
      return make("ul", {}, ...children.map((cluster) => make("li", {}, this.buttons[cluster.index], list(cluster.index))));
    };
    byId("tree").replaceChildren(...(list(null)?.childNodes ?? []));
    this.reference = this.app.engine.buffer("condition").filter((_, i) => i % 3 === 1);
    byId("cluster").replaceChildren();
    this.show();
  }
  button(cluster) {
    const names = cluster.joints.length === 1 ? cluster.joints[0] : `C${cluster.index}: ${plural(cluster.joints.length, "joint")}, ${cluster.dof} free`;
    const bar = make("span", { className: "bar" }, make("i"));
    bar.hidden = !cluster.loops.length;
    const button = make("button", { title: cluster.joints.join(", ") },
      make("span", { className: "swatch", style: { background: cluster.colour ?? "var(--body)" } }),
      make("span", { textContent: names }), bar);
    button.addEventListener("click", () => this.app.selectCluster(cluster.index));
    return button;
  }

  /** 0: good; 1: the robot's own coordinates have a dead centre here; 2: all coordinates do. */
  warnings() {
    const condition = this.app.engine.buffer("condition");
    return this.app.robot.clusters.map((cluster, k) => {
      if (!condition[3 * k + 2]) return 0;
      const usual = Math.max(cluster.conditioning, this.reference?.[k] ?? 0);
      const best = condition[3 * k + 1], own = condition[3 * k];
      return best < 0.02 * usual ? 2 : own < 0.02 * best ? 1 : 0;
    });
  }
  show() {
    const condition = this.app.engine.buffer("condition"), warnings = this.warnings();
    this.buttons.forEach((button, k) => {
      const bar = button.querySelector(".bar"), usual = Math.max(this.app.robot.clusters[k].conditioning, this.reference[k]);
      const value = warnings[k] === 1 ? condition[3 * k] : condition[3 * k + 1];
      const part = 1 + Math.log10(Math.max(value / usual, 1e-12)) / 4;  // four decades
      bar.firstChild.style.width = `${100 * Math.min(1, Math.max(0.04, part))}%`;
      bar.className = `bar ${["", "amber", "red"][warnings[k]]}`;
    });
    return warnings;
  }
  select(index) {
    this.buttons.forEach((button, k) => button.classList.toggle("selected", k === index));
    this.describe(index);
  }

  /** Facts of a cluster. */
  describe(index) {
    const { robot } = this.app, cluster = robot.clusters[index];
    const rows = cluster.independent.map((each) => make("li", {}, make("b", { textContent: each.joint }), `: ${each.reason || "free choice"}`));
    const ties = [...cluster.loops.map((loop) => `${loop.name}: ${loop.type} between ${loop.predecessor} and ${loop.successor}`),
      ...cluster.couplings.map((coupling) => `${coupling.name}: ${coupling.equation}`)];
    byId("cluster").replaceChildren(
      make("h2", { textContent: `Cluster C${index}` }),
      make("div", { textContent: `${plural(cluster.joints.length, "joint")}, ${cluster.dof} free; ${plural(cluster.rows, "row")} of rank ${cluster.rank}` +
        (cluster.rows_written > cluster.rank ? `, ${cluster.rows_written} written` : "") }),
      make("h2", { textContent: "Independent" }), make("ul", {}, ...rows),
      ...(ties.length ? [make("h2", { textContent: "Loops and couplings" }), make("ul", {}, ...ties.map((text) => make("li", { textContent: text })))] : []));
  }
  /** Why two bodies are in one cluster, or that they are not. Returns the joints of the chain. */
  explain(a, b) {
    const { robot } = this.app, chain = robot.chain(a, b);
    const names = `${robot.bodies[a].name} and ${robot.bodies[b].name}`;
    const steps = (chain ?? []).map((c) => make("li", {}, make("b", { textContent: `${c.name} ` }), c.equation ?? c.kind));
    byId("cluster").replaceChildren(make("h2", { textContent: chain ? `Why ${names} are in one cluster` : `${names} are in different clusters` }),
      chain ? make("ul", {}, ...steps) : make("p", { textContent: "No loop or coupling ties the joint of one to that of the other." }));
    return chain ? [...new Set(chain.flatMap((c) => c.joints))] : [a, b];
  }
}
