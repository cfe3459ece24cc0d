// The page's only entry: `gradbodyView(element, {recording} | {socket})` makes a viewer in an element.

import { renderVideo } from "./video.js";
import { Viewer } from "./viewer.js";

/**
 * Shows a recording (base64 text of its compressed bytes, and of its scene if it has none) or a live simulation (address of its
 * socket) in an element. Gives the viewer when its scene is there. `kept` is what a viewer of this recording had when it was
 * disposed of.
 */
window.gradbodyView = async function gradbodyView(root, { recording, scene, socket, kept, ...options }) {
  const viewer = new Viewer(root, options);
  root.gradbodyViewer = window.gradbodyViewer = viewer;
  const query = new URLSearchParams(location.search);
  try {
    if (recording) await viewer.openRecording(recording, scene, kept);
    else viewer.openSocket(socket);
  } catch (error) {
    // There is nothing to draw.
    viewer.source = null;
    viewer.fail(error.message);
    if (!query.has("video")) return viewer;
  }
  if (query.has("video")) await renderVideo(viewer, query);
  return viewer;
};
