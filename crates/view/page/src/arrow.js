// Many arrows, rings or discs by few calls: the marks that forces, gradients and axes are drawn with.

import { BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, Group, InstancedMesh, MeshBasicMaterial, MeshStandardMaterial, TorusGeometry } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";

/** A set of marks of one surface that grows when more are needed. `begin`, then `add` each mark, then `end`. */
export class Marks {
  /** With `through` they are drawn over everything, with `veiled` faintly where something hides them. */
  constructor(surface, { lit = true, opacity = 1, order = 4, through = false, veiled = false } = {}) {
    this.group = new Group();
    this.surface = surface;
    const shade = { transparent: opacity < 1 || through, opacity, side: DoubleSide, depthTest: !through };
    this.material = lit ? new MeshStandardMaterial({ ...shade, roughness: 0.5, emissiveIntensity: 0.3 }) : new MeshBasicMaterial({ ...shade, toneMapped: false });
    this.veil = veiled ? new MeshBasicMaterial({ transparent: true, opacity: 0.35, depthTest: false, depthWrite: false }) : null;
    this.order = order;
    this.grow(16);
  }

  grow(count) {
    const old = this.mesh;
    this.mesh = new InstancedMesh(this.surface, this.material, count);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = this.order;
    this.mesh.setColorAt(0, new Color());
    if (old) {
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      this.mesh.instanceColor.array.set(old.instanceColor.array);
      old.dispose();
    }
    this.group.clear().add(this.mesh);
    if (this.veil) {
      this.behind = new InstancedMesh(this.surface, this.veil, count);
      Object.assign(this.behind, { instanceMatrix: this.mesh.instanceMatrix, instanceColor: this.mesh.instanceColor, frustumCulled: false, renderOrder: this.order + 1 });
      this.group.add(this.behind);
    }
  }

  begin() {
    this.used = 0;
  }

  /** A mark at a point whose z points along a direction, scaled along its own axes. */
  add(point, direction, scale, colour) {
    if (this.used === this.mesh.instanceMatrix.count) this.grow(2 * this.used);
    // The shortest turn of z into the direction, without objects: there are thousands of marks in a heap of boxes.
    const norm = 1 / (Math.hypot(direction[0], direction[1], direction[2]) || 1);
    const [x, y, z] = [direction[0] * norm, direction[1] * norm, direction[2] * norm];
    const back = z < -1 + 1e-9;
    const k = back ? 0 : 1 / (1 + z);
    const [a, b, c] = scale;
    const out = this.mesh.instanceMatrix.array;
    const at = 16 * this.used;
    out[at] = a * (1 - k * x * x);
    out[at + 1] = -a * k * x * y;
    out[at + 2] = back ? 0 : -a * x;
    out[at + 4] = -b * k * x * y;
    out[at + 5] = back ? -b : b * (1 - k * y * y);
    out[at + 6] = back ? 0 : -b * y;
    out[at + 8] = back ? 0 : c * x;
    out[at + 9] = back ? 0 : c * y;
    out[at + 10] = back ? -c : c * z;
    for (let row = 0; row < 3; row++) out[at + 12 + row] = point[row];
    out[at + 3] = out[at + 7] = out[at + 11] = 0;
    out[at + 15] = 1;
    this.mesh.setColorAt(this.used++, colour);
  }

  end() {
    for (const mesh of this.group.children) {
      mesh.count = this.used;
      mesh.visible = this.used > 0;
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }

  dispose() {
    this.group.removeFromParent();
    this.material.dispose();
    this.veil?.dispose();
    this.mesh.dispose();
  }
}

/** Arrows: shafts and heads. A head keeps its shape; a short arrow is only a head. */
export class Arrows {
  constructor(options) {
    this.shafts = new Marks(new CylinderGeometry(1, 1, 1, 14).rotateX(Math.PI / 2).translate(0, 0, 0.5), options);
    this.heads = new Marks(new ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5), options);
    this.group = new Group().add(this.shafts.group, this.heads.group);
  }

  begin() {
    this.shafts.begin();
    this.heads.begin();
    this.list = [];
  }

  /** An arrow from a point along a vector, in the length of the vector, with a shaft of this radius. */
  add(point, vector, radius, colour) {
    const length = Math.hypot(...vector);
    if (!(length > 1e-12)) return;
    this.list.push({ point: [...point], vector: [...vector] });
    const head = Math.min(5 * radius, length * 0.6);
    const slim = Math.min(1, head / (5 * radius) + 0.2);
    const neck = point.map((p, k) => p + vector[k] * (1 - head / length));
    this.shafts.add(point, vector, [radius * slim, radius * slim, length - head], colour);
    this.heads.add(neck, vector, [2.4 * radius * slim, 2.4 * radius * slim, head], colour);
  }

  end() {
    this.shafts.end();
    this.heads.end();
  }

  dispose() {
    this.shafts.dispose();
    this.heads.dispose();
    this.group.removeFromParent();
  }
}

/** A disc of radius 1 across z. */
export function disc() {
  return new CylinderGeometry(1, 1, 1, 28).rotateX(Math.PI / 2);
}

/** An open ring of radius 1 around z. */
export function ring() {
  return new TorusGeometry(1, 0.16, 10, 36);
}

/** A ring around z with a head: the sign of a torque. */
export function turn() {
  const arc = new TorusGeometry(1, 0.07, 8, 40, 1.6 * Math.PI);
  const head = new ConeGeometry(0.24, 0.55, 14).translate(1, 0.2, 0).rotateZ(1.6 * Math.PI);
  return mergeGeometries([arc, head].map(plain));
}

function plain(geometry) {
  const out = geometry.index ? geometry.toNonIndexed() : geometry;
  return new BufferGeometry().setAttribute("position", out.attributes.position).setAttribute("normal", out.attributes.normal);
}
