// Where many worlds lie: each keeps its own coordinates and is drawn at its place in a grid.

/** The offsets of worlds in rows, `spacing` [m] apart; the first world stays where it is. */
export function gridOffsets(worlds, spacing) {
  const columns = Math.ceil(Math.sqrt(worlds));
  return Array.from({ length: worlds }, (_, k) => [(k % columns) * spacing, Math.floor(k / columns) * spacing, 0]);
}
