// What the user saves: a picture, the scene as GLB, channels as CSV, a video.

import { AnimationClip, Group, Mesh, MeshStandardMaterial, QuaternionKeyframeTrack, VectorKeyframeTrack } from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";

import { VideoWriter } from "./video.js";

/** Offers bytes as a file. */
export function download(name, bytes, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 30_000);
}

/** PNG of the canvas. The scene must have been rendered in this very task. */
export function picture(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser gave no picture"))), "image/png");
  });
}

/**
 * GLB of what is drawn of the followed motion: a node for each body with its geometries below. A recording adds an animation.
 * glTF has y up.
 */
export async function sceneFile(viewer) {
  const { layers, scene, source } = viewer;
  const bodies = layers.main.bodies;
  const root = new Group();
  root.name = scene.name;
  root.rotation.x = -Math.PI / 2;
  const nodes = [];
  const moment = viewer.moment;
  for (let world = 0; world < viewer.worlds; world++) {
    for (let body = 0; body < scene.bodies.length; body++) {
      const node = new Group();
      node.name = viewer.worlds > 1 ? `${scene.bodies[body]} ${world + 1}` : scene.bodies[body];
      setPose(node, moment.poses, 7 * (world * scene.bodies.length + body), viewer.offsets[world]);
      nodes.push(node);
      root.add(node);
    }
  }
  const materials = new Map();
  for (const { mesh, items, locals, sticks } of bodies.batches) {
    if (sticks) continue;
    items.forEach((item, k) => {
      const key = `${item.colour.getHexString?.() ?? item.colour} ${mesh.material.opacity}`;
      if (!materials.has(key)) materials.set(key, new MeshStandardMaterial({ color: item.colour, roughness: 0.52, metalness: 0.04, opacity: mesh.material.opacity, transparent: mesh.material.opacity < 1 }));
      for (let world = 0; world < viewer.worlds; world++) {
        const part = new Mesh(mesh.geometry, materials.get(key));
        part.name = item.geometry.name;
        const l = locals.subarray(12 * k, 12 * k + 12);
        part.matrix.set(...l, 0, 0, 0, 1);
        part.matrix.decompose(part.position, part.quaternion, part.scale);
        nodes[world * scene.bodies.length + item.geometry.body].add(part);
      }
    });
  }
  const animations = source.live ? [] : [animation(viewer, nodes)];
  return new GLTFExporter().parseAsync(root, { binary: true, animations, onlyVisible: false });
}

function setPose(node, poses, at, offset) {
  node.position.set(poses[at] + offset[0], poses[at + 1] + offset[1], poses[at + 2] + offset[2]);
  node.quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]).normalize();
}

function animation(viewer, nodes) {
  const { recording } = viewer.source;
  const poses = recording.poses[recording.main];
  const times = Array.from(recording.times, (time) => time - recording.first);
  const size = 7 * nodes.length;
  const bodies = viewer.scene.bodies.length;
  const tracks = nodes.flatMap((node, k) => {
    if (k % bodies === 0) return [];
    const offset = viewer.offsets[Math.floor(k / bodies)];
    const each = (read) => times.flatMap((_, i) => read(i * size + 7 * k));
    return [
      new VectorKeyframeTrack(`${node.uuid}.position`, times, each((at) => [poses[at] + offset[0], poses[at + 1] + offset[1], poses[at + 2] + offset[2]])),
      new QuaternionKeyframeTrack(`${node.uuid}.quaternion`, times, each((at) => [poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]])),
    ];
  });
  return new AnimationClip("motion", -1, tracks);
}

/** A video of what the user sees until `end` is called. */
export class Film {
  constructor(canvas) {
    this.writer = new VideoWriter(canvas, { framerate: 30 });
    this.start = null;
    this.last = 0;
    this.busy = false;
  }

  /** A frame was drawn now. Frames that come too fast for the encoder or the rate are left out. */
  frame(now) {
    this.start ??= now;
    const time = (now - this.start) / 1000;
    if (this.busy || this.ending || (this.writer.frames > 0 && time - this.last < 1 / 40)) return;
    this.busy = true;
    this.last = time;
    this.pending = this.writer.add(time, 1 / 30).finally(() => (this.busy = false));
  }

  async end() {
    this.ending = true;
    await this.pending;
    return this.writer.finish();
  }
}
