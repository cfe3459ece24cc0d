// The camera: turns around a target, moves it, comes nearer, and follows a body.

import { Vector3 } from "three";

const STEEPEST = 1.55;
/** How quickly the target follows a body: the share of the way that is left after a second. */
const LAG = 0.002;

export class Orbit {
  /** `azimuth` and `elevation` [rad] are where the camera is, seen from its target, `distance` [m] away. */
  constructor(camera) {
    this.camera = camera;
    this.target = new Vector3();
    this.azimuth = -0.95;
    this.elevation = 0.32;
    this.distance = 3;
    this.following = true;
    this.lead = null;
  }

  /** Looks at a box of this centre and size from a distance that shows all of it. */
  frame(centre, extent) {
    this.target.copy(centre);
    this.extent = extent;
    const upright = (this.camera.fov * Math.PI) / 360;
    const narrowest = Math.min(upright, Math.atan(Math.tan(upright) * this.camera.aspect));
    this.distance = extent / Math.sin(narrowest);
    this.azimuth = -0.95;
    this.elevation = 0.32;
    this.lead = null;
  }

  turn(right, up) {
    this.azimuth -= right;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + up));
  }

  /** Moves the target across the view, by parts of the height of the view. */
  move(right, up) {
    const height = 2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360);
    const across = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const upward = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
    this.target.addScaledVector(across, -right * height).addScaledVector(upward, -up * height);
  }

  nearer(factor) {
    this.distance = Math.min(this.extent * 60, Math.max(this.extent * 0.15, this.distance * factor));
  }

  /** Moves with what is followed, of which this is the position [m] now. Jumps at once where it jumps by more than a view. */
  follow(position, seconds, atOnce = false) {
    if (!this.lead || !this.following) {
      this.lead = position.clone();
      return;
    }
    const share = 1 - LAG ** Math.min(seconds, 0.2);
    const way = position.clone().sub(this.lead);
    way.multiplyScalar(atOnce || way.length() > 4 * this.distance ? 1 : share);
    this.lead.add(way);
    this.target.add(way);
  }

  update() {
    const flat = Math.cos(this.elevation);
    this.camera.position
      .set(flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation))
      .multiplyScalar(this.distance)
      .add(this.target);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
  }
}
