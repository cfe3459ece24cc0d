// The bodies of a scene: each surface is drawn by one call for all bodies and all worlds that have it.

import { Color, DoubleSide, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Vector3 } from "three";

import { matrixOfPose, placed, turnOfZ, unplaced, writeProduct } from "./poses.js";

/** Colours of geometries that have none: bright for what is long or flat, dark for what is round. */
const BRIGHT = "#dfe3e8";
const DARK = "#4a5361";
const COLLISION = "#3aa8a0";
const MISSING = "#e0457b";

/**
 * Draws poses. `look` is null for bodies as they are, or {colour, hatched} for a ghost. `roles` says what is drawn: "visual",
 * "collision" or "both"; a body without visual geometry is drawn by what collides.
 */
export class Bodies {
  constructor(scene, shapes, worlds, { roles = "visual", look = null, transparent = false } = {}) {
    this.group = new Group();
    this.scene = scene;
    this.worlds = worlds;
    this.look = look;
    this.count = scene.bodies.length;
    this.matrices = new Float64Array(12 * this.count * worlds);
    const batches = new Map();
    for (const geometry of shown(scene, roles)) {
      const colour = colourOf(geometry, roles);
      const opacity = look ? 1 : (geometry.colour?.[3] ?? 1) * (transparent ? 0.35 : 1) * (roles === "both" && geometry.role === "collision" ? 0.45 : 1);
      for (const part of shapes.parts(geometry)) {
        const key = `${part.key} ${opacity}`;
        if (!batches.has(key)) batches.set(key, { surface: part.surface, opacity, items: [] });
        batches.get(key).items.push({ geometry, colour, local: localMatrix(geometry.pose, part) });
      }
    }
    this.addSticks(batches, shapes, transparent ? 0.35 : 1);
    this.batches = [...batches.values()].map((batch) => this.makeBatch(batch));
  }

  makeBatch({ surface, opacity, items, sticks }) {
    const count = items.length * this.worlds;
    const mesh = new InstancedMesh(surface, this.look ? ghostMaterial(this.look) : bodyMaterial(opacity), count);
    mesh.frustumCulled = false;
    mesh.castShadow = !this.look && opacity === 1;
    mesh.receiveShadow = !this.look;
    if (this.look || opacity < 1) mesh.renderOrder = this.look ? 3 : 2;
    const colour = new Color();
    for (let k = 0; k < count; k++) mesh.setColorAt(k, colour.set(this.look ? this.look.colour : items[k % items.length].colour));
    const locals = new Float64Array(12 * items.length);
    items.forEach((item, k) => locals.set(item.local, 12 * k));
    this.group.add(mesh);
    return { mesh, items, locals, sticks };
  }

  /** Moves all bodies to these poses; `offsets` says where each world lies. */
  update(poses, offsets) {
    for (let k = 0; k < this.count * this.worlds; k++) {
      matrixOfPose(poses, 7 * k, this.matrices, 12 * k, offsets[Math.floor(k / this.count)]);
    }
    for (const { mesh, items, locals, sticks } of this.batches) {
      const out = mesh.instanceMatrix.array;
      if (sticks) this.stretch(items, locals, out, poses);
      else {
        for (let world = 0, k = 0; world < this.worlds; world++) {
          for (let i = 0; i < items.length; i++, k++) {
            const body = world * this.count + items[i].geometry.body;
            writeProduct(this.matrices, 12 * body, locals, 12 * i, out, 16 * k);
            // A pose that is not known is all zeros; such a body is not drawn.
            if (!known(poses, 7 * body)) out.fill(0, 16 * k, 16 * k + 15);
          }
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  /** Bodies without geometry: a stick from their joint to each child's joint, or to beyond their centre of mass. */
  addSticks(batches, shapes, opacity) {
    const { scene } = this;
    const bare = scene.bodies.map((_, body) => body > 0 && !scene.geometries.some((g) => g.body === body));
    if (!bare.some(Boolean)) return;
    const anchor = (body) => scene.joints.find((joint) => joint.body === body)?.anchor ?? [0, 0, 0];
    const items = [];
    for (let body = 1; body < scene.bodies.length; body++) {
      const end = (other, point) => items.push({ geometry: { name: scene.bodies[body], body }, colour: BRIGHT, from: anchor(body), to: [other, point], local: new Float64Array(12) });
      const children = scene.bodies.map((_, child) => child).filter((child) => scene.parents?.[child] === body && child !== body && child > 0);
      if (bare[body]) for (const child of children) end(child, anchor(child));
      const mass = scene.masses.find((entry) => entry.body === body);
      if (bare[body] && children.length === 0 && mass) end(body, mass.centre.map((c, k) => 2 * c - anchor(body)[k]));
    }
    if (items.length === 0) return;
    const [{ surface }] = shapes.parts({ kind: "cylinder", size: [1, 1, 0] });
    batches.set("sticks", { surface, opacity, items, sticks: true });
  }

  stretch(items, locals, out, poses) {
    const thick = 0.02 * (this.extent ?? 1);
    const identity = new Float64Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
    for (let world = 0, k = 0; world < this.worlds; world++) {
      for (const { geometry, from, to: [other, point] } of items) {
        const a = placed(this.matrices, 12 * (world * this.count + geometry.body), from);
        const b = placed(this.matrices, 12 * (world * this.count + other), point);
        const d = b.map((value, i) => value - a[i]);
        const length = Math.hypot(...d);
        matrixOfPose([...a.map((value, i) => value + d[i] / 2), ...turnOfZ(d)], 0, locals, 0);
        for (let row = 0; row < 3; row++) {
          locals[4 * row] *= thick;
          locals[4 * row + 1] *= thick;
          locals[4 * row + 2] *= Math.max(length / 2, thick);
        }
        writeProduct(identity, 0, locals, 0, out, 16 * k);
        if (![geometry.body, other].every((body) => known(poses, 7 * (world * this.count + body)))) out.fill(0, 16 * k, 16 * k + 15);
        k += 1;
      }
    }
  }

  /** The nearest body on a ray: its world and index, and the point in the world and in the body. Null if there is no such body. */
  pick(raycaster) {
    const hits = this.batches.flatMap(({ mesh, items }) => {
      const hit = raycaster.intersectObject(mesh, false)[0];
      return hit ? [{ ...hit, items }] : [];
    });
    hits.sort((a, b) => a.distance - b.distance);
    if (hits.length === 0) return null;
    const { instanceId, items, point, distance } = hits[0];
    const geometry = items[instanceId % items.length].geometry;
    const world = Math.floor(instanceId / items.length);
    const inWorld = point.toArray();
    return { world, body: geometry.body, geometry: geometry.name, distance, point: inWorld, inBody: unplaced(this.matrices, 12 * (world * this.count + geometry.body), inWorld) };
  }

  /** Brightens a body, or none. */
  highlight(world, body) {
    const key = body === null ? null : `${world} ${body}`;
    if (key === this.highlighted || this.look) return;
    this.highlighted = key;
    const colour = new Color();
    for (const { mesh, items } of this.batches) {
      for (let k = 0; k < mesh.count; k++) {
        const item = items[k % items.length];
        const on = body === item.geometry.body && world === Math.floor(k / items.length);
        mesh.setColorAt(k, on ? colour.set(item.colour).lerp(HIGHLIGHT, 0.45) : colour.set(item.colour));
      }
      mesh.instanceColor.needsUpdate = true;
    }
  }

  /** What is drawn, read back from what the graphics card gets: for each instance its geometry, body, world and matrix. */
  drawn() {
    return this.batches.flatMap(({ mesh, items }) =>
      Array.from({ length: mesh.count }, (_, k) => {
        const { geometry } = items[k % items.length];
        return { name: geometry.name, body: geometry.body, world: Math.floor(k / items.length), matrix: Array.from(mesh.instanceMatrix.array.slice(16 * k, 16 * k + 16)) };
      }),
    );
  }

  /** The corners of a box around all bodies of a world but the world itself: [lowest, highest]. Null without any body. */
  bounds(world = 0) {
    const [low, high] = [new Vector3(Infinity, Infinity, Infinity), new Vector3(-Infinity, -Infinity, -Infinity)];
    const matrix = new Matrix4();
    for (const { mesh, items } of this.batches) {
      mesh.geometry.computeBoundingBox();
      for (let i = 0; i < items.length; i++) {
        const { geometry } = items[i];
        if (geometry.body === 0 || geometry.kind === "plane") continue;
        matrix.fromArray(mesh.instanceMatrix.array, 16 * (world * items.length + i));
        // A body whose place is not known has no size.
        if (matrix.determinant() === 0) continue;
        const box = mesh.geometry.boundingBox.clone().applyMatrix4(matrix);
        if (Number.isFinite(box.min.x)) {
          low.min(box.min);
          high.max(box.max);
        }
      }
    }
    return Number.isFinite(low.x) ? [low, high] : null;
  }

  dispose() {
    this.group.removeFromParent();
    for (const { mesh } of this.batches) {
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}

const HIGHLIGHT = new Color("#ffd166");

/** Whether the pose that starts at an index is known: it has a quaternion. */
function known(poses, at) {
  const sum = Math.abs(poses[at + 3]) + Math.abs(poses[at + 4]) + Math.abs(poses[at + 5]) + Math.abs(poses[at + 6]);
  return sum > 0 && sum < Infinity;
}

/** The geometries to draw. The ground is drawn by the stage. */
function shown(scene, roles) {
  const ground = (g) => g.kind === "plane" && g.body === 0 && Math.abs(g.pose[4]) + Math.abs(g.pose[5]) < 1e-6 && scene.ground !== null;
  const hasVisual = new Set(scene.geometries.filter((g) => g.role === "visual").map((g) => g.body));
  const hasCollision = new Set(scene.geometries.filter((g) => g.role === "collision").map((g) => g.body));
  const drawn = (g) => {
    if (roles === "both") return true;
    if (roles === "collision") return g.role === "collision" || !hasCollision.has(g.body);
    return g.role === "visual" || !hasVisual.has(g.body);
  };
  return scene.geometries.filter((g) => !ground(g) && drawn(g));
}

function colourOf(geometry, roles) {
  if (geometry.missing) return MISSING;
  if (roles !== "visual" && geometry.role === "collision") return COLLISION;
  if (geometry.colour) return new Color().setRGB(...geometry.colour.slice(0, 3), "srgb");
  return geometry.kind === "cylinder" || geometry.kind === "sphere" ? DARK : BRIGHT;
}

function localMatrix(pose, { scale, at }) {
  const local = new Float64Array(12);
  matrixOfPose(pose, 0, local, 0);
  const position = placed(local, 0, at);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 3; column++) local[4 * row + column] *= scale[column];
    local[4 * row + 3] = position[row];
  }
  return local;
}

function bodyMaterial(opacity) {
  return new MeshStandardMaterial({ roughness: 0.52, metalness: 0.04, transparent: opacity < 1, opacity, depthWrite: opacity === 1, side: DoubleSide });
}

/** A ghost is clear in the middle and bright at its rim. A hatched one is told from another without its colour. */
function ghostMaterial({ hatched }) {
  const material = new MeshStandardMaterial({ roughness: 1, transparent: true, depthWrite: false, envMapIntensity: 0.2 });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <opaque_fragment>",
      `float rim = 1.0 - abs(dot(normalize(normal), normalize(vViewPosition)));
      outgoingLight = mix(diffuseColor.rgb, outgoingLight, 0.35);
      diffuseColor.a = mix(0.16, 0.95, rim * rim);
      ${hatched ? "diffuseColor.a *= mod(gl_FragCoord.x + gl_FragCoord.y, 9.0) < 4.0 ? 1.0 : 0.12;" : ""}
      #include <opaque_fragment>`,
    );
  };
  material.customProgramCacheKey = () => `ghost ${hatched}`;
  return material;
}
