"use strict";
// Plays the animations of the page. The data of each are in a JSON element inside its figure, as
// report/animation.rs writes them; the plots of the same section get a mark at the time shown.
for (const figure of document.querySelectorAll(".animation")) {
  const { dt, speed, view, ground, frames, trails, strokes, dots } =
    JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas");
  const [slider, time] = [figure.querySelector("input"), figure.querySelector("output")];
  const [playButton, speedButton] = [figure.querySelector(".play"), figure.querySelector(".speed")];
  const playheads = figure.closest("section").querySelectorAll(".playhead");
  const pen = canvas.getContext("2d");
  const last = frames.length - 1;
  const speeds = [0.1, 0.25, 0.5, 1];

  let at = 0; // frame shown, with fraction
  let playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let rate = speed;
  let [turn, tilt] = view;
  let visible = true;
  let before = null;

  // The middle of the motion and its reach about it: all of it fits, from wherever it is seen.
  const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
  for (const frame of frames) {
    frame.forEach((x, i) => {
      low[i % 3] = Math.min(low[i % 3], x);
      high[i % 3] = Math.max(high[i % 3], x);
    });
  }
  if (ground !== null) {
    low[2] = Math.min(low[2], ground);
    high[2] = Math.max(high[2], ground);
  }
  const middle = low.map((x, k) => (x + high[k]) / 2);
  const across = Math.hypot(high[0] - low[0], high[1] - low[1]);
  const reach = [Math.max(across, 0.1) / 2, Math.max(high[2] - low[2], 0.1) / 2];

  // Seen from above the ground reaches below the motion.
  if (ground !== null) reach[1] += 0.5 * (high[1] - low[1]) * Math.abs(Math.sin(view[1]));

  // Orthographic: x to the right and z up, turned about z, then tilted towards the reader.
  const project = (frame, point) => place(frame.slice(3 * point, 3 * point + 3));
  const place = (position) => {
    const [x, y, z] = position.map((value, k) => value - middle[k]);
    const right = x * Math.cos(turn) + y * Math.sin(turn);
    const away = y * Math.cos(turn) - x * Math.sin(turn);
    const up = z * Math.cos(tilt) + away * Math.sin(tilt);
    return [canvas.width / 2 + right * scale(), canvas.height / 2 - up * scale()];
  };
  const scale = () => 0.42 * Math.min(canvas.width / reach[0], canvas.height / reach[1]);

  // Between frames, so that slow motion is smooth.
  const frameAt = (at) => {
    const i = Math.min(Math.floor(at), last), j = Math.min(i + 1, last), part = at - i;
    return frames[i].map((x, k) => x + part * (frames[j][k] - x));
  };

  function draw() {
    const style = getComputedStyle(figure);
    const colour = (i) => style.getPropertyValue("--c" + i);
    const [s, pixel] = [scale(), devicePixelRatio];
    const now = frameAt(at);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.lineJoin = "round";
    pen.lineCap = "butt";
    drawGround(style, pixel);
    for (const [point, c, seconds] of trails) {
      const first = Math.max(0, Math.ceil(at - seconds / dt));
      pen.strokeStyle = colour(c);
      pen.lineWidth = 1.5 * pixel;
      let from = project(frames[first], point);
      for (let i = first + 1; i <= at; i++) {
        const to = project(frames[i], point);
        pen.globalAlpha = 0.65 * (1 - (at - i) * dt / seconds);
        pen.beginPath();
        pen.moveTo(...from);
        pen.lineTo(...to);
        pen.stroke();
        from = to;
      }
    }
    pen.lineCap = "round";
    for (const [points, c, width, faint] of strokes) {
      pen.globalAlpha = faint ? 0.4 : 1;
      pen.strokeStyle = colour(c);
      pen.lineWidth = Math.max(width * s, 1.5 * pixel);
      pen.beginPath();
      for (const point of points) pen.lineTo(...project(now, point));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    for (const [point, c, radius] of dots) {
      pen.fillStyle = colour(c);
      pen.beginPath();
      pen.arc(...project(now, point), Math.max(radius * s, 2 * pixel), 0, 2 * Math.PI);
      pen.fill();
    }
    drawScale(style, s, pixel);
    slider.value = at;
    time.textContent = "t = " + (at * dt).toFixed(2) + " s";
    for (const line of playheads) {
      const { left, from, scale } = line.dataset;
      const x = +left + (at * dt - from) * scale;
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
  }

  // A level grid under the whole motion; seen from the side it is a line.
  function drawGround(style, pixel) {
    if (ground === null) return;
    const step = [1, 0.5, 0.2, 0.1, 0.05, 0.02].find((m) => 2 * reach[0] > 4 * m) || 0.01;
    const [from, to] = [0, 1].map((k) => [
      step * Math.floor((low[k] - 0.15 * reach[0]) / step),
      step * Math.ceil((high[k] + 0.15 * reach[0]) / step),
    ]);
    pen.strokeStyle = style.getPropertyValue("--quiet");
    pen.lineWidth = pixel;
    pen.globalAlpha = 0.35;
    pen.beginPath();
    const line = (a, b) => { pen.moveTo(...place(a)); pen.lineTo(...place(b)); };
    for (let x = from[0]; x < from[1] + step / 2; x += step) {
      line([x, to[0], ground], [x, to[1], ground]);
    }
    for (let y = to[0]; y < to[1] + step / 2; y += step) {
      line([from[0], y, ground], [from[1], y, ground]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  // A bar of a round length at the lower left.
  function drawScale(style, s, pixel) {
    const length = [2, 1, 0.5, 0.2, 0.1, 0.05].find((m) => m * s < 0.25 * canvas.width) || 0.02;
    const [x, y] = [16 * pixel, canvas.height - 14 * pixel];
    pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--quiet");
    pen.lineWidth = 1.5 * pixel;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + length * s, y);
    pen.stroke();
    pen.font = `${12 * pixel}px system-ui, sans-serif`;
    pen.fillText(length + " m", x, y - 6 * pixel);
  }

  function tick(now) {
    if (playing && visible && before !== null) {
      at += Math.min((now - before) / 1000, 0.1) * rate / dt;
      if (at > last) at = 0;
      draw();
    }
    before = now;
    requestAnimationFrame(tick);
  }

  function label() {
    playButton.textContent = playing ? "❚❚" : "▶";
    speedButton.textContent = rate + "×";
  }
  playButton.onclick = () => { playing = !playing; label(); };
  speedButton.onclick = () => {
    rate = speeds[(speeds.indexOf(rate) + 1) % speeds.length];
    label();
  };
  slider.oninput = () => { at = +slider.value; playing = false; label(); draw(); };

  // Dragging turns the view; a double click turns it back.
  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    turn += event.movementX * 0.01;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + event.movementY * 0.01));
    draw();
  };
  canvas.ondblclick = () => { [turn, tilt] = view; draw(); };

  function fit() {
    const width = canvas.clientWidth;
    const height = Math.min(Math.max(width * reach[1] / reach[0], 260), 460);
    canvas.style.height = height + "px";
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    draw();
  }
  addEventListener("resize", fit);
  fit();
  new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  label();
  requestAnimationFrame(tick);
}
