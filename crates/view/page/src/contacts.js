// Contact forces of the solver as arrows. A sticking contact has a disc, a sliding one an open ring, so that they differ without
// their colours too; a point that only touches has a small dot.

import { Color, Group } from "three";

import { Arrows, Marks, disc, ring } from "./arrow.js";

export const STATES = ["touching", "sticking", "sliding"];
export const COLOURS = ["#8a94a0", "#1f8fe0", "#f07c1b"].map((name) => new Color(name));

/** Length of an arrow for the weight of all bodies, in sizes of the scene. */
const WEIGHT_LENGTH = 1.5;

export class Contacts {
  constructor() {
    this.arrows = new Arrows({ veiled: true });
    this.discs = new Marks(disc());
    this.rings = new Marks(ring());
    this.group = new Group().add(this.arrows.group, this.discs.group, this.rings.group);
    this.showPoints = true;
    this.showForces = true;
    /** Length of an arrow for its force [m/N]. */
    this.scale = 0.001;
    this.extent = 1;
    this.larger = 1;
  }

  /** Fits arrows to a scene of this size [m] and weight [N]. */
  fit(extent, weight) {
    this.extent = extent;
    this.scale = (WEIGHT_LENGTH * extent) / Math.max(weight, 1e-9);
  }

  update(contacts, offsets) {
    const radius = 0.011 * this.extent;
    this.arrows.begin();
    this.discs.begin();
    this.rings.begin();
    this.list = [];
    for (let k = 0; k < contacts.length; k += 8) {
      const offset = offsets[contacts[k + 7]] ?? offsets[0];
      const point = [0, 1, 2].map((i) => contacts[k + i] + offset[i]);
      const force = [contacts[k + 3], contacts[k + 4], contacts[k + 5]];
      const state = contacts[k + 6];
      const size = Math.hypot(...force);
      if (!Number.isFinite(size + point[0])) continue;
      this.list.push({ point, force, state: STATES[state] });
      const up = size > 0 ? force : [0, 0, 1];
      if (this.showPoints) {
        const at = point.map((p, i) => p + (i === 2 ? 0.3 * radius : 0));
        if (state === 2) this.rings.add(at, [0, 0, 1], [3.2 * radius, 3.2 * radius, 3.2 * radius], COLOURS[2]);
        else this.discs.add(at, [0, 0, 1], state === 1 ? [3 * radius, 3 * radius, 0.8 * radius] : [1.2 * radius, 1.2 * radius, 0.8 * radius], COLOURS[state]);
      }
      if (this.showForces) this.arrows.add(point, up.map((f) => f * this.scale * this.larger), radius, COLOURS[state] ?? COLOURS[0]);
    }
    this.arrows.end();
    this.discs.end();
    this.rings.end();
  }

  /** The forces that the arrows stand for [N], measured on the arrows. */
  drawnForces() {
    return this.arrows.list.map(({ vector }) => vector.map((v) => v / (this.scale * this.larger)));
  }
}
