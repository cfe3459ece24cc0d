"use strict";
// Plays the stick figures of the motions. The data of each are in a JSON element inside its figure, as
// fit_report/figures.rs writes them; the plots of the same motion get a mark at the time shown.
for (const figure of document.querySelectorAll(".player-box")) {
  const { t, sticks, layers, bounds, view, flat } =
    JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas");
  const slider = figure.querySelector("input[type=range]");
  const output = figure.querySelector("output");
  const [playButton, speedButton] = [figure.querySelector(".play"), figure.querySelector(".speed")];
  const boxes = [...figure.querySelectorAll("input[type=checkbox]")];
  const motion = figure.closest(".motion");
  const playheads = motion.querySelectorAll(".playhead");
  const pen = canvas.getContext("2d");
  const speeds = [0.1, 0.25, 0.5, 1, 2, 5];
  const [start, end] = [t[0], t[t.length - 1]];

  let now = start, rate = 1, visible = false, before = null;
  let playing = end > start && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let [turn, tilt] = view;
  slider.min = start;
  slider.max = end;
  slider.disabled = !(end > start);
  // Short motions are played slowly, so that they can be followed.
  if (end - start < 1.5) rate = 0.25;

  const middle = bounds.map(([low, high]) => (low + high) / 2);
  const half = bounds.map(([low, high]) => (high - low) / 2);
  const smallest = 1e-6 + 0.05 * Math.max(...half);
  // How far it reaches to the right and up; turned it must still fit.
  const reach = () => {
    const [c, s] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
    const [up, down] = [Math.abs(Math.cos(tilt)), Math.abs(Math.sin(tilt))];
    const across = half[0] * c + half[1] * s, away = half[0] * s + half[1] * c;
    return [Math.max(across, smallest), Math.max(half[2] * up + away * down, smallest)];
  };
  let scale = 1;
  const rescale = () => {
    const [right, up] = reach();
    scale = 0.43 * Math.min(canvas.width / right, canvas.height / up);
  };
  const place = (x, y, z) => {
    [x, y, z] = [x - middle[0], y - middle[1], z - middle[2]];
    const right = x * Math.cos(turn) + y * Math.sin(turn);
    const away = y * Math.cos(turn) - x * Math.sin(turn);
    const up = z * Math.cos(tilt) + away * Math.sin(tilt);
    return [canvas.width / 2 + right * scale, canvas.height / 2 - up * scale];
  };

  // The frame before a time, and how far it is on the way to the next.
  const find = (time) => {
    let low = 0, high = t.length - 1;
    while (high - low > 1) {
      const between = (low + high) >> 1;
      if (t[between] <= time) low = between; else high = between;
    }
    const span = t[high] - t[low];
    return [low, high, span > 0 ? Math.min(1, Math.max(0, (time - t[low]) / span)) : 0];
  };
  const pointAt = (frames, [i, j, part], k) => {
    const a = (frames[i] || []).slice(3 * k, 3 * k + 3);
    const b = (frames[j] || []).slice(3 * k, 3 * k + 3);
    const whole = (p) => p.length === 3 && !p.includes(null);
    if (!whole(a)) return part > 0.5 && whole(b) ? place(...b) : null;
    return place(...(whole(b) ? a.map((x, n) => x + part * (b[n] - x)) : a));
  };

  const looks = {
    measured: { colour: "--c1", alpha: 0.3, width: 11, cap: 0 },
    before: { colour: "--quiet", alpha: 0.9, width: 2.5, cap: 3, dash: [6, 6] },
    after: { colour: "--c0", alpha: 1, width: 3.5, cap: 4.5 },
  };

  function draw() {
    const style = getComputedStyle(figure);
    const pixel = devicePixelRatio;
    const at = find(now);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.lineCap = pen.lineJoin = "round";
    layers.forEach(({ name, frames }, n) => {
      if (!boxes[n].checked) return;
      const { colour, alpha, width, cap, dash } = looks[name];
      pen.strokeStyle = pen.fillStyle = style.getPropertyValue(colour);
      pen.globalAlpha = alpha;
      pen.lineWidth = width * pixel;
      pen.setLineDash((dash || []).map((x) => x * pixel));
      // One path, so that what overlaps is not darker.
      pen.beginPath();
      const ends = [];
      for (const [from, to] of sticks) {
        const [a, b] = [pointAt(frames, at, from), pointAt(frames, at, to)];
        if (!a || !b) continue;
        pen.moveTo(...a);
        pen.lineTo(...b);
        ends.push(a, b);
      }
      pen.stroke();
      if (!cap) return;
      for (const end of ends) {
        pen.beginPath();
        pen.arc(...end, cap * pixel, 0, 2 * Math.PI);
        pen.fill();
      }
    });
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    drawScale(style, pixel);
    slider.value = now;
    output.textContent = "t = " + now.toFixed(2) + " s";
    for (const line of playheads) {
      const { left, from, scale } = line.dataset;
      const x = +left + (now - from) * scale;
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
  }

  // A bar of a round length at the lower left.
  function drawScale(style, pixel) {
    const lengths = [100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
    const length = lengths.find((m) => m * scale < 0.25 * canvas.width) || 0.005;
    const [x, y] = [16 * pixel, canvas.height - 14 * pixel];
    pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--quiet");
    pen.lineWidth = 1.5 * pixel;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + length * scale, y);
    pen.stroke();
    pen.font = `${12 * pixel}px system-ui, sans-serif`;
    pen.fillText(length + " m", x, y - 6 * pixel);
  }

  function tick(time) {
    if (playing && visible && before !== null) {
      now += Math.min((time - before) / 1000, 0.1) * rate;
      if (now > end) now = start;
      draw();
    }
    before = time;
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
  slider.oninput = () => { now = +slider.value; playing = false; label(); draw(); };
  for (const box of boxes) box.onchange = draw;

  // Dragging turns the view of what is not flat; a double click turns it back.
  if (!flat) {
    canvas.classList.add("turns");
    canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      turn += event.movementX * 0.01;
      tilt = Math.max(-1.5, Math.min(1.57, tilt + event.movementY * 0.01));
      rescale();
      draw();
    };
    canvas.ondblclick = () => { [turn, tilt] = view; rescale(); draw(); };
  }

  function fit() {
    if (motion.hidden || !canvas.clientWidth) return;
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    rescale();
    draw();
  }
  addEventListener("resize", fit);
  fit();
  new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  label();
  requestAnimationFrame(tick);
}
