// Values of channels of a live simulation, as far back as they are kept.

/** Moments that are kept: three minutes at 60 a second. */
const MOST = 11_000;

export class History {
  constructor() {
    this.clear();
  }

  clear() {
    this.times = [];
    this.columns = new Map();
  }

  get names() {
    return [...this.columns.keys()];
  }

  get first() {
    return this.times[0] ?? 0;
  }

  get last() {
    return this.times.at(-1) ?? 0;
  }

  /** Adds the newest state. A time before the last one means that the simulation was reset: later values are dropped. */
  append(moment, names) {
    if (!moment.edge) return;
    if (moment.time < this.last) this.truncate(this.indexAfter(moment.time));
    if (this.times.length > 0 && moment.time === this.last) this.truncate(this.times.length - 1);
    this.times.push(moment.time);
    names.forEach((name, k) => {
      if (name === undefined || k >= moment.channels.length) return;
      if (!this.columns.has(name)) this.columns.set(name, []);
      this.columns.get(name)[this.times.length - 1] = Number.isFinite(moment.channels[k]) ? moment.channels[k] : null;
    });
    if (this.times.length > MOST) {
      this.times.splice(0, 1000);
      for (const column of this.columns.values()) column.splice(0, 1000);
    }
  }

  truncate(count) {
    this.times.length = count;
    for (const column of this.columns.values()) column.length = Math.min(column.length, count);
  }

  /** The number of times that are before a time. */
  indexAfter(time) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Times between two, and the values of channels at them; null where a value is not known. */
  window(names, from, until) {
    const [start, end] = [this.indexAfter(from), this.indexAfter(until + 1e-9)];
    const column = (name) => Array.from({ length: end - start }, (_, k) => this.columns.get(name)?.[start + k] ?? null);
    return [this.times.slice(start, end), ...names.map(column)];
  }

  /** The value of a channel at the last known time that is not after a time. */
  at(name, time) {
    return this.columns.get(name)?.[Math.max(0, this.indexAfter(time + 1e-9) - 1)];
  }
}
