// What there is to see of a whole recording: the box that its bodies move in, and from where a flat motion is seen best.

import { Box3, Vector3 } from "three";

/** Moments that are looked at. */
const MOMENTS = 24;
/** A horizontal direction with less than this share of the greatest spread is flat. */
const FLAT = 0.02;
/** How far a flat motion is turned from its broad side, so that bodies show their depth [rad]. */
const TURN = 0.3;

/**
 * The box that holds the followed motion at all times, as a camera sees it that follows `lead`, with where that is at the beginning;
 * and as `view` {azimuth, elevation} of the camera if all bodies move in one upright plane, else null.
 */
export function survey(recording, layers, lead) {
  const { main } = layers;
  const box = new Box3();
  const places = [];
  const first = lead(main.bodies);
  const last = recording.times.length - 1;
  for (let k = 0; k <= MOMENTS; k++) {
    const moment = recording.at(recording.times[Math.round((k * last) / MOMENTS)]);
    main.bodies.update(moment.poses, [[0, 0, 0]]);
    const bounds = main.bodies.bounds(0);
    if (!bounds) continue;
    const gone = lead(main.bodies).sub(first);
    box.expandByPoint(bounds[0].sub(gone));
    box.expandByPoint(bounds[1].sub(gone));
    for (let body = 1; body < main.bodies.count; body++) {
      const at = 12 * body;
      const { matrices } = main.bodies;
      const centre = recording.scene.masses.find((mass) => mass.body === body)?.centre ?? [0, 0, 0];
      const row = (r) => matrices[at + 4 * r] * centre[0] + matrices[at + 4 * r + 1] * centre[1] + matrices[at + 4 * r + 2] * centre[2] + matrices[at + 4 * r + 3];
      places.push([row(0), row(1), row(2)], [matrices[at + 3], matrices[at + 7], matrices[at + 11]]);
    }
  }
  return { first, box: box.isEmpty() ? null : [box.min, box.max], view: flatView(places.filter((p) => p.every(Number.isFinite))) };
}

/** From where points are seen that lie in one upright plane; null if they do not. */
function flatView(points) {
  const count = points.length || 1;
  const mean = [0, 1, 2].map((axis) => points.reduce((sum, p) => sum + p[axis], 0) / count);
  const moment = (a, b) => points.reduce((sum, p) => sum + (p[a] - mean[a]) * (p[b] - mean[b]), 0) / count;
  const [xx, yy, xy, zz] = [moment(0, 0), moment(1, 1), moment(0, 1), moment(2, 2)];
  // Principal directions of the horizontal part: tan 2φ = 2 Sxy / (Sxx − Syy).
  const [half, root] = [0.5 * (xx + yy), Math.hypot(0.5 * (xx - yy), xy)];
  const [major, minor, up] = [half + root, half - root, zz].map((s) => Math.sqrt(Math.max(s, 0)));
  if (!(minor <= FLAT * Math.max(major, up)) || major <= FLAT * up) return null;
  const along = 0.5 * Math.atan2(2 * xy, xx - yy);
  // Of both sides the one with the light.
  const side = Math.cos(along - Math.PI / 2 + 0.95) >= Math.cos(along + Math.PI / 2 + 0.95) ? along - Math.PI / 2 : along + Math.PI / 2;
  return { azimuth: side + TURN, elevation: 0.16 };
}

/** A vector of a body's position that the camera follows. */
export function leadOf(bodies, world, body) {
  const at = 12 * (world * bodies.count + body);
  return new Vector3(bodies.matrices[at + 3], bodies.matrices[at + 7], 0.25 * bodies.matrices[at + 11]);
}
