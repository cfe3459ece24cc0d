// Base64 and zlib, by what the browser has.

/** Bytes of a base64 text. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** Numbers (f32, little endian) of a base64 text. */
export function floats(text) {
  return new Float32Array(fromBase64(text).slice().buffer);
}

/** Indices (u32, little endian) of a base64 text. */
export function indices(text) {
  return new Uint32Array(fromBase64(text).slice().buffer);
}

/** What zlib compressed, as it was. */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
