// Where networks act in a recording, and how much: an arrow for a force, a turning arrow about the axis for a torque, a ball for a
// number without a direction. Each effect is fixed to a body.

import { Color, Group, SphereGeometry } from "three";

import { Arrows, Marks, turn } from "./arrow.js";
import { placed, turned } from "./poses.js";

/** One colour for each site, as long as there are some. */
const PALETTE = ["#8a3fd1", "#d6336c", "#0b8f6a", "#b8720a", "#1667c7", "#a3123f"];
/** Length of the largest arrow and radius of the largest turning arrow and of the largest ball, in sizes of the scene. */
const LARGEST = { along: 0.5, about: 0.22, mark: 0.07 };
/** Radius of the smallest turning arrow that is drawn, in sizes of the scene: its size tells the torque, and it stays visible. */
const SMALLEST = 0.05;

export class Effects {
  /** `sites` are those of a recording; `rows` are all effects of all times. */
  constructor(sites, rows) {
    this.sites = sites.map((site, k) => ({ ...site, colour: new Color(PALETTE[k % PALETTE.length]), visible: true }));
    // Effects of one unit are drawn to one scale.
    this.largest = new Map();
    for (let at = 0; at < rows.length; at += 8) {
      const site = this.sites[rows[at]];
      const size = Math.hypot(rows[at + 5], rows[at + 6], rows[at + 7]);
      const key = scaleOf(site);
      if (size > (this.largest.get(key) ?? 0)) this.largest.set(key, size);
    }
    this.marks = { along: new Arrows({ veiled: true }), about: new Marks(turn(), { veiled: true }), mark: new Marks(new SphereGeometry(1, 20, 14), { veiled: true, opacity: 0.85 }) };
    this.group = new Group().add(...Object.values(this.marks).map((marks) => marks.group));
    this.extent = 1;
    this.larger = 1;
    this.list = [];
  }

  /** Draws the effects of a moment at bodies that are where `bodies` has drawn them. */
  update(rows, bodies) {
    const { along, about, mark } = this.marks;
    for (const marks of [along, about, mark]) marks.begin();
    this.list = [];
    for (let at = 0; at < rows.length; at += 8) {
      const site = this.sites[rows[at]];
      const body = 12 * rows[at + 1];
      const point = placed(bodies.matrices, body, [rows[at + 2], rows[at + 3], rows[at + 4]]);
      const vector = turned(bodies.matrices, body, [rows[at + 5], rows[at + 6], rows[at + 7]]);
      const size = Math.hypot(...vector);
      const share = size / (this.largest.get(scaleOf(site)) || 1);
      if (!site.visible || !(share > 1e-3) || !Number.isFinite(point[0])) continue;
      const largest = LARGEST[site.kind] * this.extent * this.larger;
      this.list.push({ site: rows[at], body: rows[at + 1], point, vector });
      if (site.kind === "along") along.add(point, vector.map((v) => (v / size) * share * largest), 0.011 * this.extent, site.colour);
      else if (site.kind === "about") {
        const radius = SMALLEST * this.extent + share * (largest - SMALLEST * this.extent);
        about.add(point, vector, [radius, radius, radius], site.colour);
      } else mark.add(point, [0, 0, 1], [1, 1, 1].map(() => Math.cbrt(share) * largest), site.colour);
    }
    for (const marks of [along, about, mark]) marks.end();
  }

  dispose() {
    for (const marks of Object.values(this.marks)) marks.dispose();
    this.group.removeFromParent();
  }
}

function scaleOf({ kind, unit, name }) {
  // Numbers of different kinds cannot be compared, even in one unit.
  return kind === "mark" ? `mark ${name}` : `${kind} ${unit}`;
}
