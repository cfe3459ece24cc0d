// Sets of vectors of a recording at the centres of mass of bodies: gradients of a loss by the forces at links.

import { Color, Group } from "three";

import { Arrows } from "./arrow.js";
import { placed } from "./poses.js";

const PALETTE = ["#c2378f", "#2a9d4b", "#7a52d6", "#c98a06"].map((name) => new Color(name));

export class VectorSets {
  constructor(sets, scene) {
    this.scene = scene;
    this.group = new Group();
    this.sets = sets.map((set, k) => {
      const marks = new Arrows({ veiled: true });
      this.group.add(marks.group);
      return { ...set, marks, colour: PALETTE[k % PALETTE.length], visible: true, scale: 1 };
    });
    this.sites = centres(scene);
    this.larger = 1;
  }

  /** Fits each set to a scene of this size [m]: its largest vector is half as long. */
  fit(extent, recording) {
    this.extent = extent;
    this.sets.forEach((set, k) => {
      const values = recording.vectors[k] ?? [];
      let largest = 0;
      for (let i = 0; i + 2 < values.length; i += 3) largest = Math.max(largest, Math.hypot(values[i], values[i + 1], values[i + 2]) || 0);
      set.largest = largest;
      set.scale = (0.5 * extent) / (largest || 1);
    });
  }

  /** Draws the vectors of a moment at bodies that are where `bodies` has drawn them. */
  update(vectors, bodies) {
    this.sets.forEach((set, k) => {
      const values = vectors?.[k];
      set.marks.begin();
      set.list = [];
      if (set.visible && values) {
        this.sites.forEach((site, i) => {
          const vector = [values[3 * i], values[3 * i + 1], values[3 * i + 2]];
          const size = Math.hypot(...vector);
          if (!(size > 1e-3 * set.largest)) return;
          const point = placed(bodies.matrices, 12 * site.body, site.point);
          set.list.push({ body: site.body, point, vector });
          set.marks.add(point, vector.map((v) => v * set.scale * this.larger), 0.009 * this.extent, set.colour);
        });
      }
      set.marks.end();
    });
  }

  dispose() {
    for (const set of this.sets) set.marks.dispose();
    this.group.removeFromParent();
  }
}

/** The centre of mass of each body, or its origin. */
function centres(scene) {
  return scene.bodies.map((_, body) => ({ body, point: scene.masses.find((mass) => mass.body === body)?.centre ?? [0, 0, 0] }));
}

