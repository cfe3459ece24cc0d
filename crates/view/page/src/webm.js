// A WebM file of encoded video: EBML elements around the chunks of an encoder.

/** Time in the file is counted in milliseconds. */
const TICK = 1_000_000;
/** A cluster's times are 16 bit, and each should begin with a key frame. */
const CLUSTER_MS = 5000;

export class WebM {
  constructor(codec, width, height) {
    this.codec = codec;
    this.width = width;
    this.height = height;
    this.blocks = [];
  }

  /** Adds a chunk as `VideoEncoder` gives it. */
  add(chunk) {
    const data = new Uint8Array(chunk.byteLength);
    chunk.copyTo(data);
    this.blocks.push({ time: Math.round(chunk.timestamp / 1000), key: chunk.type === "key", data });
  }

  /** The file's bytes. `duration` is in seconds. */
  finish(duration) {
    const head = node(0x1a45dfa3, [
      number(0x4286, 1), number(0x42f7, 1), number(0x42f2, 4), number(0x42f3, 8), string(0x4282, "webm"), number(0x4287, 2), number(0x4285, 2),
    ]);
    const info = node(0x1549a966, [number(0x2ad7b1, TICK), double(0x4489, duration * 1000), string(0x4d80, "gradbody"), string(0x5741, "gradbody")]);
    const track = node(0xae, [
      number(0xd7, 1), number(0x73c5, 1), number(0x9c, 0), number(0x83, 1), string(0x86, this.codec), node(0xe0, [number(0xb0, this.width), number(0xba, this.height)]),
    ]);
    const tracks = node(0x1654ae6b, [track]);
    const clusters = [];
    const cues = [];
    let at = info.length + tracks.length;
    // The seek head and cues would need sizes in advance; cues come last, and players find them.
    for (const group of grouped(this.blocks)) {
      const start = group[0].time;
      const cluster = node(0x1f43b675, [number(0xe7, start), ...group.map((block) => simpleBlock(block, start))]);
      cues.push(node(0xbb, [number(0xb3, start), node(0xb7, [number(0xf7, 1), number(0xf1, at)])]));
      clusters.push(cluster);
      at += cluster.length;
    }
    return joined([head, node(0x18538067, [info, tracks, ...clusters, node(0x1c53bb6b, cues)])]);
  }
}

function grouped(blocks) {
  const groups = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    if (!group || block.time - group[0].time > 30_000 || (block.key && block.time - group[0].time >= CLUSTER_MS)) groups.push([block]);
    else group.push(block);
  }
  return groups;
}

function simpleBlock({ time, key, data }, start) {
  const relative = time - start;
  return node(0xa3, [new Uint8Array([0x81, (relative >> 8) & 0xff, relative & 0xff, key ? 0x80 : 0]), data]);
}

/** An element: its id, the size of its content in 8 bytes, its content. */
function node(id, parts) {
  const content = joined(parts);
  const size = new Uint8Array(8);
  new DataView(size.buffer).setBigUint64(0, BigInt(content.length) | (1n << 56n));
  return joined([idBytes(id), size, content]);
}

function idBytes(id) {
  const bytes = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return new Uint8Array(bytes);
}

function number(id, value) {
  const bytes = [];
  for (let rest = value; rest > 0 || bytes.length === 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return node(id, [new Uint8Array(bytes)]);
}

function double(id, value) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return node(id, [bytes]);
}

function string(id, text) {
  return node(id, [new TextEncoder().encode(text)]);
}

function joined(parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
