// A simulation that runs in a server: its frames come in, what the user does goes out. A lost connection is made again.

import { readFrame } from "./frames.js";

/** Time between attempts to connect [ms]. */
const RETRY = [250, 500, 1000, 2000];

export class Live {
  /** `on` has: scene(scene), settings(settings), state("connecting" | "open" | "lost"), problem(text). */
  constructor(url, on) {
    this.url = new URL(url, location.href.replace(/^http/, "ws")).href;
    this.on = on;
    this.live = true;
    this.attempts = 0;
    this.settings = {};
    this.frames = 0;
    this.bytes = 0;
    this.untaken = 0;
    this.moment = null;
    this.fresh = false;
    this.connect();
  }

  connect() {
    this.on.state(this.attempts === 0 ? "connecting" : "lost");
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.attempts = 0;
      this.untaken = 0;
      this.on.state("open");
    };
    socket.onmessage = ({ data }) => this.receive(data);
    socket.onclose = () => {
      if (this.closed) return;
      this.attempts += 1;
      this.on.state("lost");
      this.retry = setTimeout(() => this.connect(), RETRY[Math.min(this.attempts - 1, RETRY.length - 1)]);
    };
  }

  receive(data) {
    if (typeof data !== "string") {
      this.untaken += 1;
      this.frames += 1;
      this.bytes += data.byteLength;
      try {
        this.moment = readFrame(data);
        this.fresh = true;
      } catch (error) {
        this.on.problem(error.message);
      }
      return;
    }
    const message = JSON.parse(data);
    if (message.scene) {
      // Frames of the scene before do not fit this one.
      this.moment = null;
      this.on.scene(message.scene);
    }
    if (message.refused) this.on.problem(message.refused);
    if (message.settings) {
      this.settings = { ...this.settings, error: null, message: null, ...message.settings };
      this.on.settings(this.settings);
    }
  }

  /** The newest moment, or null if there is none yet. Frames that came in since the last call are taken. */
  take() {
    for (; this.untaken > 0; this.untaken--) this.send({ taken: 1 });
    this.fresh = false;
    return this.moment;
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  get playing() {
    return this.moment ? !this.moment.paused : false;
  }

  get speed() {
    return this.settings.speed ?? 1;
  }

  play(on) {
    this.send({ play: on });
  }

  /** Goes on from the newest state instead of the one that is shown. */
  playNewest() {
    if (this.moment && !this.moment.edge) this.seek(this.moment.last);
    this.play(true);
  }

  step(count) {
    this.send({ step: count });
  }

  seek(time) {
    this.send({ seek: time });
  }

  reset(keyframe = null) {
    this.send({ reset: keyframe });
  }

  setSpeed(speed) {
    this.send({ speed });
  }

  dispose() {
    this.closed = true;
    clearTimeout(this.retry);
    this.socket.close();
  }
}
