// A recording: a motion that was saved, with its scene, layers, contacts, channels and arrows.

import { fromBase64, inflate } from "./bytes.js";
import { Moment } from "./frames.js";

/** Reads a recording from the base64 text of its compressed bytes, and of its scene if that is not in it. */
export async function readRecording(text, scene = null) {
  const [bytes, json] = await Promise.all([inflate(fromBase64(text)), scene && inflate(fromBase64(scene))]);
  return new Recording(bytes, json && JSON.parse(new TextDecoder().decode(json)));
}

export class Recording {
  constructor(bytes, scene = null) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = view.getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const start = bytes.byteOffset + 4 * Math.ceil((4 + length) / 4);
    /** The value of an array's name, or null if there is no such array. */
    this.array = (name) => {
      const entry = header.arrays[name];
      if (!entry) return null;
      const Type = entry.type === "u32" ? Uint32Array : Float32Array;
      return new Type(bytes.buffer, start + entry.offset, entry.shape.reduce((a, b) => a * b, 1));
    };
    this.header = header;
    this.scene = header.scene ?? scene;
    this.worlds = header.worlds ?? 1;
    this.layers = header.layers;
    this.channels = header.channels ?? [];
    this.arrows = header.arrows ?? [];
    this.times = this.array("t");
    this.poses = this.layers.map((layer) => this.array(`poses/${layer.name}`));
    this.values = this.array("channels") ?? new Float32Array(0);
    this.vectors = this.arrows.map((set) => this.array(`arrows/${set.name}`));
    this.contacts = this.array("contacts") ?? new Float32Array(0);
    this.contactStarts = starts(this.array("contact_counts"), this.times.length);
    this.trails = header.trails ?? [];
    this.effectSites = header.effects ?? [];
    this.effects = this.array("effects") ?? new Float32Array(0);
    this.effectStarts = starts(this.array("effect_counts"), this.times.length);
    this.changes = header.changes ?? [];
    this.changed = this.array("changes") ?? new Float32Array(0);
    this.addChanges();
    /** The layer that is followed: the first one that is no ghost. */
    this.main = Math.max(0, this.layers.findIndex((layer) => !layer.ghost));
  }

  /** What networks change can be plotted: a quantity without and with the change, and the change. */
  addChanges() {
    if (this.changes.length === 0) return;
    const own = this.channels.length;
    const kinds = ["without", "with", "change"];
    this.channels = [...this.channels, ...this.changes.flatMap(({ name, unit }) => kinds.map((kind) => ({ name: `network/${name}/${kind}`, unit, layer: null })))];
    const count = this.channels.length;
    const all = new Float32Array(count * this.times.length);
    for (let k = 0; k < this.times.length; k++) {
      all.set(this.values.subarray(k * own, (k + 1) * own), k * count);
      this.changes.forEach((_, i) => {
        const [before, change] = this.changeAt(k, i);
        all.set([before, before + change, change], k * count + own + 3 * i);
      });
    }
    this.values = all;
  }

  /** A quantity before a network changed it at a time, and the change. */
  changeAt(k, i) {
    const at = 2 * (k * this.changes.length + i);
    return this.changed.subarray(at, at + 2);
  }

  get first() {
    return this.times[0];
  }

  get last() {
    return this.times[this.times.length - 1];
  }

  /** The index of the last frame that is not after a time. */
  indexAt(time) {
    let [low, high] = [0, this.times.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The moment at a time. Poses are interpolated between frames; contacts, channels and arrows are those of the frame before. */
  at(time, moment = new Moment()) {
    const k = this.indexAt(time);
    const next = Math.min(k + 1, this.times.length - 1);
    const gap = this.times[next] - this.times[k];
    const part = gap > 0 ? Math.min(1, Math.max(0, (time - this.times[k]) / gap)) : 0;
    const bodies = this.scene.bodies.length;
    const size = 7 * bodies * this.worlds;
    const posesAt = (poses) => {
      if (!poses) return null;
      const here = poses.subarray(k * size, (k + 1) * size);
      return part < 1e-6 ? here : between(here, poses.subarray(next * size, (next + 1) * size), part);
    };
    const layers = this.poses.map(posesAt);
    const count = this.channels.length;
    return Object.assign(moment, {
      time,
      first: this.first,
      last: this.last,
      worlds: this.worlds,
      bodies,
      index: k,
      layers,
      poses: layers[this.main],
      contacts: this.contacts.subarray(8 * this.contactStarts[k], 8 * this.contactStarts[k + 1]),
      channels: this.values.subarray(k * count, (k + 1) * count),
      effects: this.effects.subarray(8 * this.effectStarts[k], 8 * this.effectStarts[k + 1]),
      vectors: this.vectors.map((values) => values && values.subarray((k * values.length) / this.times.length, ((k + 1) * values.length) / this.times.length)),
    });
  }
}

/** Where the rows of each time start, from their numbers. */
function starts(counts, times) {
  const out = new Uint32Array(times + 1);
  counts?.forEach((count, k) => (out[k + 1] = out[k] + count));
  return out;
}

/** Poses between two frames: positions linearly, quaternions by the normalised mean on the shorter way. */
function between(a, b, part) {
  const out = new Float32Array(a.length);
  for (let k = 0; k < a.length; k += 7) {
    for (let i = 0; i < 3; i++) out[k + i] = a[k + i] + part * (b[k + i] - a[k + i]);
    let dot = 0;
    for (let i = 3; i < 7; i++) dot += a[k + i] * b[k + i];
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let i = 3; i < 7; i++) {
      out[k + i] = (1 - part) * a[k + i] + part * sign * b[k + i];
      norm += out[k + i] * out[k + i];
    }
    norm = Math.sqrt(norm) || 1;
    for (let i = 3; i < 7; i++) out[k + i] /= norm;
  }
  return out;
}

/** The bytes of a recording before they are compressed; the tests and the mock write recordings by it. */
export function writeRecording(header, arrays) {
  let offset = 0;
  const entries = {};
  for (const [name, { values, shape }] of Object.entries(arrays)) {
    entries[name] = { offset, type: values instanceof Uint32Array ? "u32" : "f32", shape };
    offset += values.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify({ ...header, arrays: entries }));
  const start = 4 * Math.ceil((4 + json.length) / 4);
  const bytes = new Uint8Array(start + offset);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  for (const [name, { values }] of Object.entries(arrays)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start + entries[name].offset);
  }
  return bytes;
}
