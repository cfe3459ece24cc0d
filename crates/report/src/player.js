"use strict";
// Plays the motions of a report. A viewer is made where a motion comes into sight, and ends where it leaves: a browser
// draws only some scenes at a time. The marks in the plots beside a motion follow its time.
{
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };
  const text = (id) => document.getElementById(id).textContent;

  // The viewer's script and style, which the page has once.
  let ready = null;
  const load = () => ready ??= (async () => {
    const script = document.createElement("script");
    script.textContent = await unpack(text("viewer-script"));
    document.head.append(script);
    const style = new CSSStyleSheet();
    style.replaceSync(await unpack(text("viewer-style")));
    return style;
  })();

  for (const holder of document.querySelectorAll(".player[data-scene]")) motion(holder);

  function motion(holder) {
    const recording = holder.parentNode.querySelector("script");
    const around = holder.closest(".motion, section") || document;
    const playheads = [...around.querySelectorAll(".playhead")];
    let viewer = null, making = false, wanted = false, kept = null, root = null;

    const follow = (time) => {
      for (const line of playheads) {
        const { left, from, scale } = line.dataset;
        const x = +left + (time - from) * scale;
        line.setAttribute("x1", x);
        line.setAttribute("x2", x);
      }
    };

    const change = async () => {
      if (making) return;
      if (!wanted && viewer) {
        kept = viewer.kept;
        viewer.dispose();
        viewer = null;
      } else if (wanted && !viewer) {
        making = true;
        try {
          const style = await load();
          if (!root) {
            // The styles of the report and of the viewer do not mix.
            const shadow = holder.attachShadow({ mode: "open" });
            shadow.adoptedStyleSheets = [style];
            root = document.createElement("div");
            root.style.height = "100%";
            shadow.append(root);
          }
          viewer = await gradbodyView(root, {
            recording: recording.textContent, scene: text("scene-" + holder.dataset.scene), kept, plain: true, onTime: follow,
          });
        } catch (error) {
          (root || holder).textContent = error.message;
          wanted = false;
        }
        making = false;
        change();
      }
    };

    new IntersectionObserver(([entry]) => {
      wanted = entry.isIntersecting;
      change();
    }, { rootMargin: "50px" }).observe(holder);

    // A click in a plot goes to that time.
    for (const line of playheads) {
      const svg = line.ownerSVGElement;
      const { left, from, scale } = line.dataset;
      svg.addEventListener("click", (event) => {
        const area = svg.getBoundingClientRect();
        const x = (event.clientX - area.left) / area.width * svg.viewBox.baseVal.width;
        if (viewer && x >= +left) viewer.seek(+from + (x - left) / scale);
      });
    }
  }
}
