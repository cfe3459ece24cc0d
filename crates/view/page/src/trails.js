// Paths that points of a recording leave behind for a while.

import { BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial } from "three";

import { matrixOfPose, placed } from "./poses.js";

/** The colour of a trail of bodies in their own colours; that of a ghost has its ghost's. */
const OWN = "#1f6fd6";

export class Trails {
  constructor(recording, layers) {
    this.recording = recording;
    this.group = new Group();
    this.trails = recording.trails.map((trail) => {
      const layer = recording.layers.findIndex(({ name }) => name === trail.layer);
      const paths = path(recording, layer, trail);
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * (recording.times.length + 1)), 3));
      geometry.setAttribute("color", new BufferAttribute(new Float32Array(4 * (recording.times.length + 1)), 4));
      const line = new Line(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, toneMapped: false, depthWrite: false }));
      line.frustumCulled = false;
      line.renderOrder = 3;
      this.group.add(line);
      return { ...trail, layer, paths, line, colour: new Color(layers[layer].colour ?? OWN) };
    });
  }

  /** Draws what was passed lately; `layers` has where bodies are drawn now. */
  update(time, layers) {
    const { times } = this.recording;
    const until = this.recording.indexAt(time);
    for (const { layer, body, point, seconds, paths, line, colour } of this.trails) {
      const { position, color } = line.geometry.attributes;
      let count = 0;
      const add = (x, y, z, age) => {
        position.array.set([x, y, z], 3 * count);
        color.array.set([colour.r, colour.g, colour.b, Math.max(0, 1 - age / seconds)], 4 * count++);
      };
      for (let k = this.recording.indexAt(time - seconds); k <= until; k++) add(paths[3 * k], paths[3 * k + 1], paths[3 * k + 2], time - times[k]);
      add(...placed(layers[layer].bodies.matrices, 12 * body, point), 0);
      position.needsUpdate = color.needsUpdate = true;
      line.geometry.setDrawRange(0, count);
      line.visible = layers[layer].visible;
    }
  }

  dispose() {
    for (const { line } of this.trails) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.group.removeFromParent();
  }
}

/** Where the point is at each time. */
function path(recording, layer, { body, point }) {
  const size = 7 * recording.scene.bodies.length * recording.worlds;
  const matrix = new Float64Array(12);
  const out = new Float32Array(3 * recording.times.length);
  for (let k = 0; k < recording.times.length; k++) {
    matrixOfPose(recording.poses[layer], k * size + 7 * body, matrix, 0);
    out.set(placed(matrix, 0, point), 3 * k);
  }
  return out;
}
