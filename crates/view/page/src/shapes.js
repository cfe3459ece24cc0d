// The surface of each kind of shape, in the shape's own frame.

import { BufferAttribute, BufferGeometry, CapsuleGeometry, ExtrudeGeometry, LatheGeometry, PlaneGeometry, Shape, SphereGeometry, Vector2 } from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

import { floats, indices } from "./bytes.js";

/** Edges sharper than this angle stay sharp on a mesh [rad]. */
const CREASE = 0.6;
/** Half the side of a plane that is no ground [m]. */
const PLANE = 1;
/** Part of the smallest side by which boxes and cylinders are rounded, so that their edges catch light. */
const BEVEL = 0.06;

/** Surfaces that were made, each once. Copies of one shape share a surface, and are drawn by one call. */
export class Shapes {
  /** `detail` is 1 for round shapes that look round from near; less means fewer triangles. */
  constructor(meshes, detail = 1) {
    this.meshes = meshes;
    this.around = Math.round(36 * detail);
    this.made = new Map();
  }

  /**
   * The parts that draw a geometry of a scene: a surface, its key, a scale, and where it is within the geometry. Only a set of
   * points has more than one part.
   */
  parts(geometry) {
    const [x, y, z] = geometry.size;
    const part = (key, make, scale = [1, 1, 1], at = [0, 0, 0]) => ({ key, surface: this.surface(key, make), scale, at });
    const kind = geometry.missing ? "missing" : geometry.kind;
    switch (kind) {
      case "sphere":
        return [part("sphere", () => ball(this.around), [x, x, x])];
      case "ellipsoid":
        return [part("sphere", () => ball(this.around), [x, y, z])];
      case "capsule":
        return [part(`capsule ${x} ${y}`, () => new CapsuleGeometry(x, 2 * y, this.around >> 2, this.around - (this.around >> 2)).rotateX(Math.PI / 2))];
      case "cylinder":
        return [part(`cylinder ${x} ${y}`, () => cylinder(x, y, this.around))];
      case "box":
        return [part(`box ${x} ${y} ${z}`, () => box(x, y, z, this.around > 20 ? 3 : 1))];
      case "plane":
        return [part("plane", () => new PlaneGeometry(2 * PLANE, 2 * PLANE))];
      case "mesh":
        return [part(`mesh ${geometry.mesh}`, () => mesh(this.meshes[geometry.mesh]), [x, y, z])];
      case "extrusion":
        return [part(`extrusion ${x} ${y} ${z} ${geometry.outline}`, () => extrusion(geometry))];
      case "points":
        return (geometry.points ?? []).map((p) => part("sphere", () => ball(this.around), [0.004, 0.004, 0.004], [p[0] * x, p[1] * y, p[2] * z]));
      default: {
        // A mesh whose file was not found. Its size is not known; that of a mesh is a scale.
        const half = geometry.kind === "box" ? geometry.size : [0.05, 0.05, 0.05];
        return [part(`box ${half.join(" ")}`, () => box(...half, 1))];
      }
    }
  }

  surface(key, make) {
    if (!this.made.has(key)) this.made.set(key, make());
    return this.made.get(key);
  }

  dispose() {
    for (const surface of this.made.values()) surface.dispose();
    this.made.clear();
  }
}

function ball(around) {
  return new SphereGeometry(1, around, (around * 3) >> 2).rotateX(Math.PI / 2);
}

function box(x, y, z, segments) {
  return new RoundedBoxGeometry(2 * x, 2 * y, 2 * z, segments, BEVEL * 2 * Math.min(x, y, z));
}

function cylinder(radius, half, around) {
  const bevel = BEVEL * Math.min(radius, half);
  const profile = [new Vector2(0, -half)];
  for (const [sign, start] of [[-1, 0], [1, 2]]) {
    for (let k = 0; k <= 3; k++) {
      const angle = ((start + k / 3) * Math.PI) / 2;
      const round = sign < 0 ? [Math.sin(angle), -Math.cos(angle)] : [-Math.cos(angle), -Math.sin(angle)];
      profile.push(new Vector2(radius - bevel + bevel * Math.abs(round[0]), sign * (half - bevel) + bevel * sign * Math.abs(round[1])));
    }
  }
  profile.push(new Vector2(0, half));
  return toCreasedNormals(new LatheGeometry(profile, around).rotateX(Math.PI / 2), 0.9);
}

function mesh(data) {
  const surface = new BufferGeometry();
  surface.setAttribute("position", new BufferAttribute(floats(data.positions), 3));
  surface.setIndex(new BufferAttribute(indices(data.triangles), 1));
  return toCreasedNormals(surface, CREASE);
}

function extrusion({ outline, size: [x, y, z] }) {
  const shape = new Shape(outline.map(([a, b]) => new Vector2(a * x, b * y)));
  return new ExtrudeGeometry(shape, { depth: 2 * z, bevelEnabled: false }).translate(0, 0, -z);
}
