// Arithmetic of poses for the tests, written apart from the page's own.

/** A vector turned by a quaternion (w, x, y, z): v + 2 u × (u × v + w v). */
export function rotate([w, x, y, z], [a, b, c]) {
  const cross = ([p, q, r], [s, t, u]) => [q * u - r * t, r * s - p * u, p * t - q * s];
  const inner = cross([x, y, z], [a, b, c]).map((value, k) => value + w * [a, b, c][k]);
  return cross([x, y, z], inner).map((value, k) => [a, b, c][k] + 2 * value);
}

/** The position in the world of a geometry of a scene, with the pose (7 numbers) of its body. */
export function geometryPosition(pose, geometry) {
  return rotate(pose.slice(3), geometry.pose.slice(0, 3)).map((value, k) => value + pose[k]);
}

export function distance(a, b) {
  return Math.hypot(...a.map((value, k) => value - b[k]));
}
