// Sets of vectors of a recording: gradients of a loss by the forces at links, or where networks act. Torques are rings.

import { Color, Group } from "three";

import { Arrows, Marks, turn } from "./arrow.js";
import { placed } from "./poses.js";

const PALETTE = ["#c2378f", "#2a9d4b", "#7a52d6", "#c98a06"].map((name) => new Color(name));

export class VectorSets {
  constructor(sets, scene) {
    this.scene = scene;
    this.group = new Group();
    this.sets = sets.map((set, k) => {
      const marks = set.turn ? new Marks(turn(), { veiled: true }) : new Arrows({ veiled: true });
      this.group.add(marks.group);
      return { ...set, marks, colour: PALETTE[k % PALETTE.length], visible: true, scale: 1, sites: set.sites ?? centres(scene) };
    });
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
        set.sites.forEach((site, i) => {
          const vector = [values[3 * i], values[3 * i + 1], values[3 * i + 2]];
          const size = Math.hypot(...vector);
          if (!(size > 1e-3 * set.largest)) return;
          const point = placed(bodies.matrices, 12 * site.body, site.point);
          set.list.push({ body: site.body, point, vector });
          const length = size * set.scale * this.larger;
          if (set.turn) {
            const radius = (0.06 + 0.3 * (size / set.largest)) * this.extent * 0.5 * this.larger;
            set.marks.add(point, vector, [radius, radius, radius], set.colour);
          } else set.marks.add(point, vector.map((v) => (v * length) / size), 0.009 * this.extent, set.colour);
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

