// Binary frames of a live simulation.

const MAGIC = 0x47425631;
const HEADER = 72;

/** A moment of a simulation: what a frame says, or what a recording holds at a time. */
export class Moment {
  /** Time [s]. */
  time = 0;
  /** Simulated seconds a second of the clock. */
  rate = 0;
  /** Total energy [J]; NaN where it is not known. */
  energy = NaN;
  /** First and last time that can be shown [s]. */
  first = 0;
  last = 0;
  /** Whether this is the newest state. */
  edge = true;
  paused = true;
  worlds = 1;
  bodies = 1;
  /** Position [m] and quaternion (w, x, y, z) of each body of each world: (worlds, bodies, 7). */
  poses = new Float32Array(7);
  /** Point [m], force [N], state (0 touching, 1 sticking, 2 sliding) and world of each contact: (contacts, 8). */
  contacts = new Float32Array(0);
  /** Values of the shown channels. */
  channels = new Float32Array(0);
  /** Joint positions of the followed world, and its actuators' controls. */
  q = new Float32Array(0);
  u = new Float32Array(0);
  /** State (0 off, 1 pulling, 2 at its bound), body, anchor [m] and force [N] of the mouse's spring. */
  drag = new Float32Array(8);
}

/** Reads a frame. Its arrays are views of the frame's buffer: nothing is copied. Throws if the sizes do not agree. */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) throw new Error("this is no frame of a simulation");
  const counts = Array.from({ length: 7 }, (_, k) => view.getUint32(4 * (k + 1), true));
  const [worlds, bodies, contacts, channels, flags, nq, nu] = counts;
  let at = HEADER;
  const take = (count) => {
    const values = new Float32Array(buffer, at, count);
    at += 4 * count;
    return values;
  };
  const expected = HEADER + 4 * (7 * worlds * bodies + 8 * contacts + channels + nq + nu + 8);
  if (buffer.byteLength !== expected) throw new Error(`a frame has ${buffer.byteLength} bytes instead of ${expected}`);
  const double = (k) => view.getFloat64(32 + 8 * k, true);
  return Object.assign(new Moment(), {
    worlds,
    bodies,
    edge: (flags & 1) !== 0,
    paused: (flags & 2) !== 0,
    time: double(0),
    rate: double(1),
    energy: double(2),
    first: double(3),
    last: double(4),
    poses: take(7 * worlds * bodies),
    contacts: take(8 * contacts),
    channels: take(channels),
    q: take(nq),
    u: take(nu),
    drag: take(8),
  });
}
