// Arithmetic of poses, without objects: a matrix is 12 numbers of an array, the rows of [rotation | position].

/** Writes the matrix of a pose (x, y, z, w, i, j, k) that starts at `from` of `poses`, moved by an offset. */
export function matrixOfPose(poses, from, out, at, offset = ZERO) {
  let w = poses[from + 3];
  let x = poses[from + 4];
  let y = poses[from + 5];
  let z = poses[from + 6];
  const norm = 1 / (Math.hypot(w, x, y, z) || 1);
  w *= norm;
  x *= norm;
  y *= norm;
  z *= norm;
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y - w * z);
  out[at + 2] = 2 * (x * z + w * y);
  out[at + 3] = poses[from] + offset[0];
  out[at + 4] = 2 * (x * y + w * z);
  out[at + 5] = 1 - 2 * (x * x + z * z);
  out[at + 6] = 2 * (y * z - w * x);
  out[at + 7] = poses[from + 1] + offset[1];
  out[at + 8] = 2 * (x * z - w * y);
  out[at + 9] = 2 * (y * z + w * x);
  out[at + 10] = 1 - 2 * (x * x + y * y);
  out[at + 11] = poses[from + 2] + offset[2];
}

const ZERO = [0, 0, 0];

/** The product of two such matrices, written as 16 numbers in columns, as WebGL has them. */
export function writeProduct(a, i, b, j, out, k) {
  for (let row = 0; row < 3; row++) {
    const [p, q, r, s] = [a[i + 4 * row], a[i + 4 * row + 1], a[i + 4 * row + 2], a[i + 4 * row + 3]];
    for (let column = 0; column < 4; column++) {
      out[k + 4 * column + row] = p * b[j + column] + q * b[j + 4 + column] + r * b[j + 8 + column] + (column === 3 ? s : 0);
    }
  }
  out[k + 3] = out[k + 7] = out[k + 11] = 0;
  out[k + 15] = 1;
}

/** A point of a body, in the world. */
export function placed(matrices, at, [x, y, z]) {
  const row = (k) => matrices[at + k] * x + matrices[at + k + 1] * y + matrices[at + k + 2] * z + matrices[at + k + 3];
  return [row(0), row(4), row(8)];
}

/** A direction of a body, in the world. */
export function turned(matrices, at, [x, y, z]) {
  const row = (k) => matrices[at + k] * x + matrices[at + k + 1] * y + matrices[at + k + 2] * z;
  return [row(0), row(4), row(8)];
}

/** A point of the world, in a body. */
export function unplaced(matrices, at, point) {
  const d = [0, 1, 2].map((k) => point[k] - matrices[at + 4 * k + 3]);
  return [0, 1, 2].map((k) => matrices[at + k] * d[0] + matrices[at + 4 + k] * d[1] + matrices[at + 8 + k] * d[2]);
}

/** The quaternion (w, x, y, z) that turns z into a direction. */
export function turnOfZ([x, y, z]) {
  const norm = Math.hypot(x, y, z) || 1;
  const w = 1 + z / norm;
  if (w < 1e-9) return [0, 1, 0, 0];
  const length = Math.hypot(w, x / norm, y / norm);
  return [w / length, -y / norm / length, x / norm / length, 0];
}
