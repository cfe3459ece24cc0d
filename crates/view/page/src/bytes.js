// Base64 and zlib, by what the browser has.

/** Bytes of a base64 text. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** Base64 text of bytes. */
export function toBase64(bytes) {
  let binary = "";
  for (let k = 0; k < bytes.length; k += 0x8000) binary += String.fromCharCode(...bytes.subarray(k, k + 0x8000));
  return btoa(binary);
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
  return through(bytes, new DecompressionStream("deflate"));
}

/** Compressed by zlib. */
export async function deflate(bytes) {
  return through(bytes, new CompressionStream("deflate"));
}

async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}
