"use strict";
// Plays the moving figures of the page. The data of each are in a JSON element inside it, as player.rs writes
// them; the plots of the same section, or of the same motion of a fit, get a mark at the time shown.
for (const figure of document.querySelectorAll(".animation")) {
  const { t, speed, view, turns, bounds, reach, ground, shapes, layers } =
    JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas");
  const slider = figure.querySelector("input[type=range]");
  const output = figure.querySelector("output");
  const [playButton, speedButton] = [figure.querySelector(".play"), figure.querySelector(".speed")];
  const boxes = [...figure.querySelectorAll("input[type=checkbox]")];
  const playheads = figure.closest(".motion, section").querySelectorAll(".playhead");
  const pen = canvas.getContext("2d");
  const speeds = [0.1, 0.25, 0.5, 1, 2, 5];
  const [start, end] = [t[0], t[t.length - 1]];

  let now = start, rate = speed, visible = false, before = null;
  let playing = end > start && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let [turn, tilt] = view;
  slider.min = start;
  slider.max = end;
  slider.disabled = !(end > start);

  const middle = bounds.map(([low, high]) => (low + high) / 2);
  const half = bounds.map(([low, high]) => (high - low) / 2);
  const smallest = 1e-6 + 0.05 * Math.max(...half);
  // How far the picture reaches to the right and up from its middle. Where that is not given, all of the motion
  // fits in the view as it is turned.
  const reached = () => {
    if (reach) return reach;
    const [c, s] = [Math.abs(Math.cos(turn)), Math.abs(Math.sin(turn))];
    const [up, down] = [Math.abs(Math.cos(tilt)), Math.abs(Math.sin(tilt))];
    const across = half[0] * c + half[1] * s, away = half[0] * s + half[1] * c;
    return [Math.max(across, smallest), Math.max(half[2] * up + away * down, smallest)];
  };
  let scale = 1;
  const rescale = () => {
    const [right, up] = reached();
    scale = 0.42 * Math.min(canvas.width / right, canvas.height / up);
  };
  // Orthographic: x to the right and z up, turned about z, then tilted towards the reader.
  const place = (x, y, z) => {
    [x, y, z] = [x - middle[0], y - middle[1], z - middle[2]];
    const right = x * Math.cos(turn) + y * Math.sin(turn);
    const away = y * Math.cos(turn) - x * Math.sin(turn);
    const up = z * Math.cos(tilt) + away * Math.sin(tilt);
    return [canvas.width / 2 + right * scale, canvas.height / 2 - up * scale];
  };

  // The frames on both sides of a time, and how far it is on the way from one to the other.
  const find = (time) => {
    let low = 0, high = t.length - 1;
    while (high - low > 1) {
      const between = (low + high) >> 1;
      if (t[between] <= time) low = between; else high = between;
    }
    const span = t[high] - t[low];
    return [low, high, span > 0 ? Math.min(1, Math.max(0, (time - t[low]) / span)) : 0];
  };
  // Between frames, so that slow motion is smooth; null where the point is not known.
  const pointAt = (frames, [i, j, part], k) => {
    const a = (frames[i] || []).slice(3 * k, 3 * k + 3);
    const b = (frames[j] || []).slice(3 * k, 3 * k + 3);
    const whole = (p) => p.length === 3 && !p.includes(null);
    if (!whole(a)) return part > 0.5 && whole(b) ? place(...b) : null;
    return place(...(whole(b) ? a.map((x, n) => x + part * (b[n] - x)) : a));
  };

  // Where points of a body are on the canvas, as a function; null where the body's pose is not known.
  const bodyAt = (poses, [i, j, part], k) => {
    const [a, b] = [i, j].map((n) => (poses[n] || []).slice(7 * k, 7 * k + 7));
    const whole = (p) => p.length === 7 && !p.includes(null);
    if (!whole(a)) return part > 0.5 && whole(b) ? body(b) : null;
    if (!whole(b)) return body(a);
    // A quaternion and its negative are the same orientation: turn the shorter way.
    const sign = [3, 4, 5, 6].reduce((sum, n) => sum + a[n] * b[n], 0) < 0 ? -1 : 1;
    return body(a.map((x, n) => x + part * ((n < 3 ? 1 : sign) * b[n] - x)));
  };
  // The point p of a body is at o + p + 2 u × (u × p + w p), with the unit quaternion (w, u).
  const body = ([ox, oy, oz, ...q]) => {
    const [w, x, y, z] = q.map((part) => part / Math.hypot(...q));
    return (px, py, pz) => {
      const cx = y * pz - z * py + w * px, cy = z * px - x * pz + w * py, cz = x * py - y * px + w * pz;
      return place(ox + px + 2 * (y * cz - z * cy), oy + py + 2 * (z * cx - x * cz),
        oz + pz + 2 * (x * cy - y * cx));
    };
  };
  const world = body([0, 0, 0, 1, 0, 0, 0]);

  function draw() {
    const style = getComputedStyle(figure);
    const pixel = devicePixelRatio;
    const at = find(now);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.lineJoin = "round";
    drawGround(style, pixel);
    // What is fixed to the world is there once, whichever layers are shown.
    const obstacle = { colour: "--quiet", alpha: 0.6, size: 0, least: 1, dash: [] };
    drawShapes(shapes.filter(([of]) => of === null), () => world, obstacle, style, pixel);
    layers.forEach((layer, n) => {
      if (!boxes[n] || boxes[n].checked) drawLayer(layer, at, style, pixel);
    });
    pen.globalAlpha = 1;
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

  // The outlines of shapes, of bodies that `poseOf` knows where they are. One path, so that what overlaps is not darker.
  function drawShapes(drawn, poseOf, { colour, alpha, size, least, dash }, style, pixel) {
    if (!drawn.length) return;
    pen.strokeStyle = style.getPropertyValue(colour);
    pen.globalAlpha = alpha;
    pen.lineWidth = Math.max(size * scale, least * pixel);
    pen.lineCap = "round";
    pen.setLineDash(dash.map((x) => x * pixel));
    pen.beginPath();
    for (const [of, lines, rounds] of drawn) {
      const at = poseOf(of);
      if (!at) continue;
      for (const line of lines) {
        for (let k = 0; k < line.length; k += 3) {
          pen[k ? "lineTo" : "moveTo"](...at(line[k], line[k + 1], line[k + 2]));
        }
      }
      for (const [ax, ay, az, bx, by, bz, radius] of rounds) {
        // Two half circles, seen from anywhere.
        const [a, b, r] = [at(ax, ay, az), at(bx, by, bz), radius * scale];
        const along = Math.atan2(b[1] - a[1], b[0] - a[0]), across = along + Math.PI / 2;
        pen.moveTo(a[0] + r * Math.cos(across), a[1] + r * Math.sin(across));
        pen.arc(...a, r, across, across + Math.PI);
        pen.arc(...b, r, across - Math.PI, across);
        pen.closePath();
      }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  // Trails, then shapes, then lines over them, then discs.
  function drawLayer({ frames, trails, strokes, dots, poses, outline }, at, style, pixel) {
    pen.lineCap = "butt";
    for (const [point, colour, seconds] of trails) {
      pen.strokeStyle = style.getPropertyValue(colour);
      pen.lineWidth = 1.5 * pixel;
      let from = null;
      for (let i = 0; i < t.length && t[i] <= now; i++) {
        if (t[i] < now - seconds) continue;
        const to = pointAt(frames, [i, i, 0], point);
        pen.globalAlpha = 0.65 * (1 - (now - t[i]) / seconds);
        if (from && to) path([from, to]);
        from = to;
      }
    }
    const moving = shapes.filter(([of]) => of !== null);
    drawShapes(moving, (of) => bodyAt(poses, at, of), outline, style, pixel);
    pen.lineCap = "round";
    for (const [lines, { colour, alpha, size, least, dash }] of strokes) {
      pen.strokeStyle = style.getPropertyValue(colour);
      pen.globalAlpha = alpha;
      pen.lineWidth = Math.max(size * scale, least * pixel);
      pen.setLineDash(dash.map((x) => x * pixel));
      // One path, so that what overlaps is not darker.
      path(...lines.map((points) => points.map((k) => pointAt(frames, at, k))));
    }
    pen.setLineDash([]);
    for (const [points, { colour, alpha, size, least }] of dots) {
      pen.fillStyle = style.getPropertyValue(colour);
      pen.globalAlpha = alpha;
      for (const place of points.map((k) => pointAt(frames, at, k)).filter(Boolean)) {
        pen.beginPath();
        pen.arc(...place, Math.max(size * scale, least * pixel), 0, 2 * Math.PI);
        pen.fill();
      }
    }
  }

  // Lines through places; one that has a place missing is left out.
  function path(...lines) {
    pen.beginPath();
    for (const line of lines.filter((line) => !line.includes(null))) {
      line.forEach((place, i) => i ? pen.lineTo(...place) : pen.moveTo(...place));
    }
    pen.stroke();
  }

  // A level grid under the whole motion; seen from the side it is a line.
  function drawGround(style, pixel) {
    if (ground === null) return;
    const width = reached()[0];
    const step = [1, 0.5, 0.2, 0.1, 0.05, 0.02].find((m) => 2 * width > 4 * m) || 0.01;
    const [x, y] = [bounds[0], bounds[1]].map(([low, high]) => [
      step * Math.floor((low - 0.15 * width) / step),
      step * Math.ceil((high + 0.15 * width) / step),
    ]);
    pen.strokeStyle = style.getPropertyValue("--quiet");
    pen.lineWidth = pixel;
    pen.lineCap = "butt";
    pen.globalAlpha = 0.35;
    const lines = [];
    for (let at = x[0]; at < x[1] + step / 2; at += step) {
      lines.push([place(at, y[0], ground), place(at, y[1], ground)]);
    }
    for (let at = y[0]; at < y[1] + step / 2; at += step) {
      lines.push([place(x[0], at, ground), place(x[1], at, ground)]);
    }
    path(...lines);
  }

  // A bar of a round length at the lower left.
  function drawScale(style, pixel) {
    const lengths = [100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01];
    const length = lengths.find((m) => m * scale < 0.25 * canvas.width) || 0.005;
    const [x, y] = [16 * pixel, canvas.height - 14 * pixel];
    pen.strokeStyle = pen.fillStyle = style.getPropertyValue("--quiet");
    pen.lineWidth = 1.5 * pixel;
    path([[x, y], [x + length * scale, y]]);
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
  if (turns) {
    canvas.classList.add("turns");
    canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = (event) => {
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      turn += event.movementX * 0.01;
      tilt = Math.max(-1.5, Math.min(1.5, tilt + event.movementY * 0.01));
      rescale();
      draw();
    };
    canvas.ondblclick = () => { [turn, tilt] = view; rescale(); draw(); };
  }

  // A picture whose reach is given has the shape of the motion, others have that of the style sheet. A motion that
  // is not chosen has no width.
  function fit() {
    const width = canvas.clientWidth;
    if (!width) return;
    if (reach) {
      canvas.style.height = Math.min(Math.max(width * reach[1] / reach[0], 260), 460) + "px";
    }
    canvas.width = width * devicePixelRatio;
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
