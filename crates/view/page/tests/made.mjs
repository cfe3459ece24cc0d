// Recordings whose every number a test knows: bodies on simple paths, contacts with given forces, ghosts and arrows.

import { deflateSync } from "node:zlib";
import { readFile } from "node:fs/promises";

import { writeRecording } from "../src/recording.js";

const PAGE = new URL("..", import.meta.url);

const geometry = (name, body, kind, size, pose, more = {}) => ({ name, body, role: "visual", kind, size, pose: [...pose, 1, 0, 0, 0].slice(0, 7), colour: null, mesh: null, outline: null, points: null, missing: false, ...more });

/** A four-legged body of balls, capsules, a box, a mesh, and a mesh whose file is missing. */
export function walkerScene() {
  const tetrahedron = new Float32Array([0.06, 0, 0, -0.04, 0.05, 0, -0.04, -0.05, 0, 0, 0, 0.12]);
  const legs = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
  const turned = Math.SQRT1_2;
  return {
    name: "walker",
    bodies: ["world", "trunk", ...legs.map((_, k) => `leg ${k + 1}`)],
    parents: [0, 0, 1, 1, 1, 1],
    geometries: [
      geometry("trunk", 1, "box", [0.3, 0.14, 0.07], [0, 0, 0]),
      geometry("head", 1, "mesh", [1, 1, 1], [0.3, 0, 0.04], { mesh: 0, colour: [0.85, 0.45, 0.2, 1] }),
      geometry("lost", 1, "mesh", [1, 1, 1], [-0.3, 0, 0.08], { missing: true }),
      ...legs.flatMap((_, k) => [
        { ...geometry(`hip ${k + 1}`, 2 + k, "cylinder", [0.05, 0.04, 0], [0, 0, 0]), pose: [0, 0, 0, turned, turned, 0, 0] },
        geometry(`shin ${k + 1}`, 2 + k, "capsule", [0.028, 0.13, 0], [0, 0, -0.15]),
        geometry(`foot ${k + 1}`, 2 + k, "sphere", [0.04, 0, 0], [0, 0, -0.3]),
        { ...geometry(`foot ${k + 1} hit`, 2 + k, "sphere", [0.05, 0, 0], [0, 0, -0.3]), role: "collision" },
      ]),
    ],
    meshes: [{ positions: Buffer.from(tetrahedron.buffer).toString("base64"), triangles: Buffer.from(new Uint32Array([0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1]).buffer).toString("base64") }],
    joints: [
      { name: "root", body: 1, kind: "free", axis: [0, 0, 1], anchor: [0, 0, 0], q: 0, v: 0, nq: 7, nv: 6, limits: null },
      ...legs.map((_, k) => ({ name: `hip ${k + 1}`, body: 2 + k, kind: "revolute", axis: [0, 1, 0], anchor: [0, 0, 0], q: 7 + k, v: 6 + k, nq: 1, nv: 1, limits: [-1, 1] })),
    ],
    masses: [{ body: 1, mass: 6, centre: [0.02, 0, 0], half: [0.28, 0.13, 0.06], turn: [1, 0, 0, 0] }, ...legs.map((_, k) => ({ body: 2 + k, mass: 1, centre: [0, 0, -0.15], half: [0.02, 0.02, 0.15], turn: [1, 0, 0, 0] }))],
    actuators: legs.map((_, k) => ({ name: `hip ${k + 1}`, range: [-1, 1] })),
    keyframes: ["stand"],
    ground: 0,
    notes: ["The mesh lost.stl was not found: a box is drawn for it."],
  };
}

/** Pose of the trunk and legs at a time; `shift` moves it, `late` delays its legs. */
export function walkerPoses(time, shift = [0, 0, 0], late = 0) {
  const forward = 0.35 * time;
  const height = 0.335 + 0.01 * Math.sin(8 * time);
  const out = [0, 0, 0, 1, 0, 0, 0];
  const roll = 0.04 * Math.sin(4 * time);
  out.push(forward + shift[0], shift[1], height + shift[2], Math.cos(roll / 2), Math.sin(roll / 2), 0, 0);
  [[1, 1], [1, -1], [-1, 1], [-1, -1]].forEach(([a, b]) => {
    const angle = 0.35 * Math.sin(4 * (time - late) + (a * b > 0 ? 0 : Math.PI));
    out.push(forward + 0.22 * a + shift[0], 0.17 * b + shift[1], height + shift[2], Math.cos(angle / 2), 0, Math.sin(angle / 2), 0);
  });
  return out;
}

/** The bytes of a recording of the walker: measured (followed), before and after as ghosts, contacts, channels and arrows. */
export function walkerRecording({ seconds = 4, rate = 60, ghosts = true, worlds = 1, arrows = true } = {}) {
  const times = Float32Array.from({ length: Math.round(seconds * rate) + 1 }, (_, k) => k / rate);
  const count = times.length;
  const scene = walkerScene();
  const layers = [{ name: "measured", ghost: false, colour: null }];
  if (ghosts) layers.push({ name: "before", ghost: true, colour: null }, { name: "after", ghost: true, colour: null });
  const all = (shift, late) => Float32Array.from(Array.from(times).flatMap((t) => Array.from({ length: worlds }, (_, w) => walkerPoses(t + 0.2 * w, shift, late)).flat()));
  const arrays = { t: { values: times, shape: [count] } };
  layers.forEach(({ name }, k) => (arrays[`poses/${name}`] = { values: all([0.12 * k * (2 - k), 0.05 * k, 0], 0.2 * k * (2 - k)), shape: [count, worlds, 6, 7] }));
  const contacts = Array.from(times).flatMap((t) => [[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([a, b]) => {
    const sticking = a * b > 0;
    const angle = 0.35 * Math.sin(4 * t + (sticking ? 0 : Math.PI));
    return [0.35 * t + 0.22 * a - 0.3 * Math.sin(angle), 0.17 * b, 0, sticking ? 0 : -8, 0, 24.525, sticking ? 1 : 2, 0];
  }).flat());
  arrays.contact_counts = { values: new Uint32Array(count).fill(4), shape: [count] };
  arrays.contacts = { values: Float32Array.from(contacts), shape: [4 * count, 8] };
  const channels = layers.flatMap(({ name }) => [{ name: "trunk height", unit: "m", layer: name }, { name: "residual", unit: "", layer: name }]);
  arrays.channels = { values: Float32Array.from(Array.from(times).flatMap((t) => layers.flatMap((_, k) => [0.335 + 0.01 * Math.sin(8 * t) + 0.004 * k, k * Math.sin(5 * t + k)]))), shape: [count, channels.length] };
  const sets = arrows ? [{ name: "∂loss/∂force", unit: "1/N", layer: "measured", text: "" }] : [];
  const more = {};
  if (arrows) {
    arrays["arrows/∂loss/∂force"] = { values: Float32Array.from(Array.from(times).flatMap((t) => scene.bodies.flatMap((_, b) => (b === 0 ? [0, 0, 0] : [Math.sin(t + b), 0.6 * Math.cos(2 * t + b), 0.8])))), shape: [count, 6, 3] };
    Object.assign(more, walkerEffects(times, arrays));
  }
  const header = { scene, worlds, times: count, speed: 1, layers, channels, plots: [["trunk height"], ["residual"]], marks: [], arrows: sets, ...more, title: "Walker", caption: null };
  return writeRecording(header, arrays);
}

/** A network that turns a hip, one that pushes the trunk, and one that changes the friction of a contact, every other time. */
function walkerEffects(times, arrays) {
  const rows = [];
  const counts = [];
  const changes = [];
  times.forEach((t, k) => {
    rows.push([0, 2, 0, 0, 0, 0, effectOf(t), 0], [1, 1, 0.1, 0, 0, 0, 0, 30 * Math.cos(t)]);
    if (k % 2 === 0) rows.push([2, 0, 0.3, 0.1, 0, 0, 0, 0.2]);
    counts.push(k % 2 === 0 ? 3 : 2);
    changes.push(1.5, effectOf(t), 0, 30 * Math.cos(t), ...(k % 2 === 0 ? [0.8, -0.2] : [NaN, NaN]));
  });
  arrays.effect_counts = { values: Uint32Array.from(counts), shape: [counts.length] };
  arrays.effects = { values: Float32Array.from(rows.flat()), shape: [rows.length, 8] };
  arrays.changes = { values: Float32Array.from(changes), shape: [counts.length, 3, 2] };
  return {
    effects: [
      { name: "joint/hip 1/passive_torque", network: "friction", unit: "N m", kind: "about" },
      { name: "link/trunk/force", network: "wind", unit: "N", kind: "along" },
      { name: "contact/foot 1-ground/friction_coefficient", network: "mud", unit: "", kind: "mark" },
    ],
    changes: [
      { name: "joint/hip 1/passive_torque", network: "friction", unit: "N m", site: 0 },
      { name: "link/trunk/force/z", network: "wind", unit: "N", site: 1 },
      { name: "contact/foot 1-ground/friction_coefficient", network: "mud", unit: "", site: 2 },
    ],
    trails: [{ layer: "measured", body: 1, point: [0.3, 0, 0], seconds: 1 }],
  };
}

/** The torque that the network adds to a hip. */
export function effectOf(time) {
  return 2 + Math.sin(time);
}

/** A saved page, as `gradbody view --save` writes it. */
export async function savedPage(bytes, body = "") {
  const [script, style] = await Promise.all(["dist/viewer.js", "dist/viewer.css"].map((file) => readFile(new URL(file, PAGE), "utf8")));
  const recording = deflateSync(bytes).toString("base64");
  return `<!doctype html><html lang="en" class="gradbody-page"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>gradbody</title><style>${style}</style><body>${body}<div id="viewer"></div><script>${script}</script><script>gradbodyView(document.getElementById("viewer"), {recording: "${recording}"})</script></body></html>`;
}
