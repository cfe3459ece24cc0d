// Plays a recording by the clock, with the interface of a live simulation as far as a recording has it.

import { Moment } from "./frames.js";

export class Player {
  constructor(recording) {
    this.recording = recording;
    this.live = false;
    this.time = recording.first;
    this.speed = recording.header.speed ?? 1;
    this.playing = false;
    this.moment = new Moment();
    this.settings = { channels: recording.channels, parameters: [], message: null, error: null };
    this.energyChannel = recording.channels.findIndex((channel) => /^energy\/total$/.test(channel.name));
  }

  /** Goes on by this much of the clock [s], from the end to the beginning. */
  advance(seconds) {
    if (!this.playing) return;
    const { first, last } = this.recording;
    this.time += seconds * this.speed;
    if (this.time > last) this.time = last > first ? first + ((this.time - first) % (last - first)) : first;
  }

  take() {
    const moment = this.recording.at(this.time, this.moment);
    moment.paused = !this.playing;
    moment.edge = false;
    moment.rate = this.playing ? this.speed : 0;
    moment.energy = this.energyChannel >= 0 ? moment.channels[this.energyChannel] : NaN;
    return moment;
  }

  play(on) {
    if (on && this.time >= this.recording.last) this.time = this.recording.first;
    this.playing = on;
  }

  /** Pauses and shows a frame that is so many after the one that is shown. */
  step(count) {
    this.playing = false;
    const { times } = this.recording;
    const index = this.recording.indexAt(this.time + 1e-9) + count;
    this.time = times[Math.min(times.length - 1, Math.max(0, index))];
  }

  seek(time) {
    this.playing = false;
    this.time = Math.min(this.recording.last, Math.max(this.recording.first, time));
  }

  reset() {
    this.time = this.recording.first;
    this.playing = false;
  }

  setSpeed(speed) {
    this.speed = speed;
  }

  send() {}

  dispose() {}
}
