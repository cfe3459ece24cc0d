// Video of the scene, encoded by the browser: while the user records, or frame by frame from a recording.

import { WebM } from "./webm.js";

/** A key frame at least this often [frames]. */
const KEY_EVERY = 120;

export class VideoWriter {
  /** Of a canvas as it is; throws if the browser cannot encode. Frames have even sizes. */
  constructor(canvas, { width = canvas.width, height = canvas.height, framerate = 60 } = {}) {
    if (!window.VideoEncoder) throw new Error("this browser cannot encode video (it has no WebCodecs, or the page is not on localhost, https or a file)");
    this.canvas = canvas;
    this.width = width & ~1;
    this.height = height & ~1;
    this.file = new WebM("V_VP8", this.width, this.height);
    this.encoder = new VideoEncoder({ output: (chunk) => this.file.add(chunk), error: (error) => (this.error = error) });
    // Bits a pixel and frame that keep thin lines clean.
    const bitrate = Math.min(40e6, 0.14 * this.width * this.height * framerate);
    this.encoder.configure({ codec: "vp8", width: this.width, height: this.height, bitrate, framerate, latencyMode: "quality" });
    this.frames = 0;
    this.end = 0;
  }

  /** Adds what the canvas shows, from a time on [s]. */
  async add(time, duration) {
    if (this.error) throw this.error;
    const frame = new VideoFrame(this.canvas, { timestamp: Math.round(time * 1e6), duration: Math.round(duration * 1e6), visibleRect: { x: 0, y: 0, width: this.width, height: this.height } });
    this.encoder.encode(frame, { keyFrame: this.frames % KEY_EVERY === 0 });
    frame.close();
    this.frames += 1;
    this.end = time + duration;
    // The encoder works beside the page; wait when it falls behind.
    while (this.encoder.encodeQueueSize > 4) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** The bytes of the WebM file. */
  async finish() {
    await this.encoder.flush();
    this.encoder.close();
    if (this.error) throw this.error;
    return this.file.finish(this.end);
  }
}

/** Renders a recording frame by frame, as the page's address asks: `?video&width=1280&height=720&fps=60&post=/path`. */
export async function renderVideo(viewer, query) {
  const number = (name, standard) => Number(query.get(name) ?? standard);
  const [width, height, fps] = [number("width", 1280), number("height", 720), number("fps", 60)];
  const post = query.get("post");
  try {
    const bytes = await render(viewer, width, height, fps);
    window.gradbodyVideo = { type: "video/webm", bytes };
    document.title = "video done";
    if (post) await fetch(post, { method: "POST", headers: { "content-type": "video/webm" }, body: bytes });
  } catch (error) {
    window.gradbodyVideo = { error: String(error.message ?? error) };
    document.title = "video failed";
    if (post) await fetch(post, { method: "POST", headers: { "content-type": "text/plain" }, body: window.gradbodyVideo.error });
  }
}

async function render(viewer, width, height, fps) {
  const { source } = viewer;
  if (source.live) throw new Error("a video is made of a recording, not of a live simulation");
  viewer.freeze(width, height);
  const writer = new VideoWriter(viewer.canvas, { width, height, framerate: fps });
  const { first, last } = source.recording;
  const count = Math.max(1, Math.round(((last - first) / source.speed) * fps) + 1);
  for (let k = 0; k < count; k++) {
    source.time = Math.min(last, first + (k / fps) * source.speed);
    viewer.drawNow(1 / fps);
    await writer.add(k / fps, 1 / fps);
    document.title = `video ${k + 1}/${count}`;
  }
  return writer.finish();
}
