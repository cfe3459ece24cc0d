// What explains a body: its frame, centre of mass, box of equal inertia, joint axes, and the trail of its origin.

import { BoxGeometry, BufferAttribute, BufferGeometry, Color, Group, Line, LineBasicMaterial, SphereGeometry } from "three";

import { Arrows, Marks } from "./arrow.js";
import { matrixOfPose, placed, turned } from "./poses.js";

const RED = new Color("#e5484d");
const GREEN = new Color("#30a46c");
const BLUE = new Color("#3e7bfa");
const CENTRE = new Color("#b8860b");
const BOX = new Color("#c99700");
const AXIS = new Color("#0d9c8f");
/** Points of a trail; older ones are forgotten. */
const TRAIL = 1500;

export class Overlays {
  constructor(scene) {
    this.scene = scene;
    this.group = new Group();
    this.frames = new Arrows({ through: true });
    this.axes = new Arrows({ through: true, opacity: 0.9 });
    this.centres = new Marks(new SphereGeometry(1, 18, 12), { through: true });
    this.boxes = new Marks(new BoxGeometry(2, 2, 2), { opacity: 0.3 });
    this.group.add(this.frames.group, this.axes.group, this.centres.group, this.boxes.group);
    this.shown = { frames: false, centres: false, inertia: false, axes: false };
    this.trails = new Map();
    this.extent = 1;
  }

  /** Draws what is shown of one world, whose bodies are where `bodies` has drawn them. */
  update(bodies, world) {
    const at = (body) => 12 * (world * bodies.count + body);
    const size = this.extent;
    for (const marks of [this.frames, this.axes, this.centres, this.boxes]) marks.begin();
    if (this.shown.frames) {
      for (let body = 0; body < bodies.count; body++) {
        const origin = placed(bodies.matrices, at(body), [0, 0, 0]);
        for (const [axis, colour] of [[[1, 0, 0], RED], [[0, 1, 0], GREEN], [[0, 0, 1], BLUE]]) {
          this.frames.add(origin, turned(bodies.matrices, at(body), axis).map((v) => v * 0.11 * size), 0.0045 * size, colour);
        }
      }
    }
    for (const { body, centre, half, turn } of this.scene.masses) {
      const point = placed(bodies.matrices, at(body), centre);
      if (this.shown.centres) this.centres.add(point, [0, 0, 1], [0.013 * size, 0.013 * size, 0.013 * size], CENTRE);
      if (this.shown.inertia) this.addBox(bodies.matrices, at(body), centre, half, turn);
    }
    if (this.shown.axes) {
      for (const { body, kind, anchor, axis } of this.scene.joints) {
        if (/free|fixed|spherical|ball|floating/i.test(kind) || !axis) continue;
        const along = turned(bodies.matrices, at(body), axis).map((v) => v * 0.17 * size);
        const start = placed(bodies.matrices, at(body), anchor ?? [0, 0, 0]).map((p, k) => p - along[k] / 2);
        this.axes.add(start, along, 0.007 * size, AXIS);
      }
    }
    for (const marks of [this.frames, this.axes, this.centres, this.boxes]) marks.end();
  }

  addBox(matrices, at, centre, half, turn) {
    const local = new Float64Array(12);
    matrixOfPose([...centre, ...turn], 0, local, 0);
    this.boxes.add([0, 0, 0], [0, 0, 1], [1, 1, 1], BOX);
    const out = this.boxes.mesh.instanceMatrix.array;
    const to = 16 * (this.boxes.used - 1);
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 3; column++) local[4 * row + column] *= half[column];
    }
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 4; column++) {
        let sum = column === 3 ? matrices[at + 4 * row + 3] : 0;
        for (let k = 0; k < 3; k++) sum += matrices[at + 4 * row + k] * local[4 * k + column];
        out[to + 4 * column + row] = sum;
      }
    }
  }

  /** Starts or ends the trail of a body's origin. */
  trail(body, on) {
    if (!on) {
      this.trails.get(body)?.line.removeFromParent();
      this.trails.delete(body);
    } else if (!this.trails.has(body)) {
      const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3 * TRAIL), 3));
      geometry.setDrawRange(0, 0);
      const line = new Line(geometry, new LineBasicMaterial({ color: TRAIL_COLOURS[this.trails.size % TRAIL_COLOURS.length], toneMapped: false }));
      line.frustumCulled = false;
      this.group.add(line);
      this.trails.set(body, { line, points: [], time: -Infinity });
    }
  }

  /** Adds where the bodies with trails are now. A jump back in time begins the trails anew. */
  extendTrails(bodies, world, time) {
    for (const [body, trail] of this.trails) {
      if (time < trail.time || world !== trail.world) trail.points.length = 0;
      if (time === trail.time && trail.points.length > 0) continue;
      trail.time = time;
      trail.world = world;
      trail.points.push(placed(bodies.matrices, 12 * (world * bodies.count + body), this.scene.masses.find((m) => m.body === body)?.centre ?? [0, 0, 0]));
      if (trail.points.length > TRAIL) trail.points.shift();
      const { position } = trail.line.geometry.attributes;
      trail.points.forEach((point, k) => position.array.set(point, 3 * k));
      position.needsUpdate = true;
      trail.line.geometry.setDrawRange(0, trail.points.length);
    }
  }

  dispose() {
    for (const marks of [this.frames, this.axes, this.centres, this.boxes]) marks.dispose();
    for (const { line } of this.trails.values()) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.group.removeFromParent();
  }
}

const TRAIL_COLOURS = ["#e5484d", "#3e7bfa", "#30a46c", "#c2378f", "#c99700"];
