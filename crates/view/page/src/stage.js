// Where things are drawn: renderer, sky, light with shadows, and the ground with its grid.

import {
  AmbientLight, BackSide, Color, DirectionalLight, DoubleSide, HemisphereLight, Mesh, MeshBasicMaterial, MeshStandardMaterial, NeutralToneMapping,
  PCFShadowMap, PerspectiveCamera, PlaneGeometry, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry, WebGLRenderer,
} from "three";

/** Colours that differ between light and dark. */
export const THEMES = {
  light: { zenith: "#c9d6e3", horizon: "#f3f5f7", ground: "#e6e9ec", line: "#a9b3bd", key: 2.4, fill: 1.05, room: 0.42, text: "#1c2430" },
  dark: { zenith: "#0d1218", horizon: "#1d242d", ground: "#232b34", line: "#56626f", key: 2.1, fill: 0.42, room: 0.3, text: "#e8edf2" },
};

/** From where the main light comes. */
const SUN = [0.42, -0.5, 0.9];

export class Stage {
  /** `quality` is "high", "low" or "draft" (coarse, without shadows); null means low where the processor draws, without a graphics card. */
  constructor(canvas, quality = null) {
    this.quality = quality ?? (drawsInSoftware() ? "low" : "high");
    const low = this.quality !== "high";
    const draft = this.quality === "draft";
    this.renderer = new WebGLRenderer({ canvas, antialias: !low, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(draft ? 0.3 : low ? 1 : Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = !draft;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.scene.add(this.camera);
    this.hemisphere = new HemisphereLight("#ffffff", "#9aa3ad", 1);
    this.hemisphere.position.set(0, 0, 1);
    this.sun = new DirectionalLight("#fff6ea", 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(low ? 1024 : 2048);
    this.sun.shadow.radius = low ? 2 : 5;
    this.sun.shadow.bias = -0.0004;
    this.sky = makeSky();
    this.ground = makeGround();
    this.scene.add(this.hemisphere, this.sun, this.sun.target, this.sky, this.ground, new AmbientLight("#ffffff", 0.12));
    if (!low) this.scene.environment = makeRoom(this.renderer);
    // Without reflections bodies would be too dark.
    this.fillFactor = low ? 1.7 : 1;
    this.setTheme("light");
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.theme = name;
    this.hemisphere.intensity = theme.fill * this.fillFactor;
    this.sun.intensity = theme.key;
    this.scene.environmentIntensity = theme.room;
    this.sky.material.uniforms.zenith.value.set(theme.zenith);
    this.sky.material.uniforms.horizon.value.set(theme.horizon);
    this.ground.material.color.set(theme.ground);
    this.ground.uniforms.line.value.set(theme.line);
  }

  /** Fits the ground, its grid and the shadows to a scene of this size [m]. Without a ground only lines are drawn, at this height. */
  fit(extent, height, solid) {
    this.extent = extent;
    this.ground.position.z = height;
    this.ground.uniforms.cell.value = 10 ** Math.round(Math.log10(extent / 3));
    this.ground.uniforms.solid.value = solid ? 1 : 0;
    this.ground.receiveShadow = solid;
    this.ground.material.side = solid ? 0 : DoubleSide;
    // Between the lines one sees what is below, ghosts and trails too.
    this.ground.material.depthWrite = solid;
    this.ground.material.needsUpdate = true;
    this.ground.scale.setScalar(400 * extent);
    this.sky.scale.setScalar(300 * extent);
    this.camera.near = extent * 0.01;
    this.camera.far = extent * 700;
    this.camera.updateProjectionMatrix();
  }

  /** Moves light, sky and ground with what is looked at. */
  lookAt(target, distance) {
    const reach = Math.max(this.extent * 1.5, Math.min(distance * 0.9, this.extent * 40));
    this.sun.target.position.copy(target);
    this.sun.position.set(...SUN).normalize().multiplyScalar(reach * 3).add(target);
    const view = this.sun.shadow.camera;
    if (Math.abs(view.right - reach) > 0.15 * reach) {
      Object.assign(view, { left: -reach, right: reach, top: reach, bottom: -reach, near: reach * 0.2, far: reach * 8 });
      view.updateProjectionMatrix();
      // Three pixels of the shadow map, over which shadows are softened.
      this.sun.shadow.normalBias = (6 * reach) / this.sun.shadow.mapSize.width;
    }
    this.sky.position.copy(this.camera.position);
    this.ground.position.x = target.x;
    this.ground.position.y = target.y;
    this.ground.uniforms.centre.value.set(target.x, target.y);
    this.ground.uniforms.fade.value = Math.max(distance * 3.2, this.extent * 6);
  }

  resize(width, height) {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }

  dispose() {
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** Whether WebGL is drawn by the processor, as on a machine without a graphics card. */
function drawsInSoftware() {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** A dome whose colour goes from the horizon's to the zenith's. */
function makeSky() {
  const material = new ShaderMaterial({
    side: BackSide,
    depthWrite: false,
    uniforms: { zenith: { value: new Color() }, horizon: { value: new Color() } },
    vertexShader: `varying vec3 direction; void main() { direction = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec3 direction; uniform vec3 zenith; uniform vec3 horizon;
      void main() {
        float up = clamp(normalize(direction).z, 0.0, 1.0);
        gl_FragColor = vec4(mix(horizon, zenith, pow(up, 0.6)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const sky = new Mesh(new SphereGeometry(1, 24, 16), material);
  sky.renderOrder = -2;
  sky.frustumCulled = false;
  return sky;
}

/** A level ground that takes shadows, with lines in steps of one and ten cells, and fades out far away. */
function makeGround() {
  const uniforms = {
    line: { value: new Color() }, cell: { value: 1 }, fade: { value: 10 }, solid: { value: 1 }, grid: { value: 1 }, centre: { value: { x: 0, y: 0, set(x, y) { this.x = x; this.y = y; } } },
  };
  const material = new MeshStandardMaterial({ roughness: 0.96, metalness: 0, transparent: true, envMapIntensity: 0.5, depthWrite: true });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 atWorld;")
      .replace("#include <project_vertex>", "#include <project_vertex>\natWorld = (modelMatrix * vec4(position, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>
        varying vec3 atWorld;
        uniform vec3 line; uniform float cell; uniform float fade; uniform float solid; uniform float grid; uniform vec2 centre;
        // How much of a pixel lines of this spacing cover. Lines thinner than a pixel grow fainter instead of flickering.
        float lines(vec2 p, float spacing, float width) {
          vec2 at = p / spacing;
          vec2 blur = fwidth(at);
          vec2 wide = max(vec2(width), blur * 1.2);
          vec2 off = abs(fract(at - 0.5) - 0.5);
          vec2 covered = smoothstep(wide + blur, wide - blur, off) * clamp(vec2(width) / wide * 2.4, 0.0, 1.0);
          return max(covered.x, covered.y) * (1.0 - smoothstep(0.25, 0.6, max(blur.x, blur.y)));
        }`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        float covered = grid * max(0.45 * lines(atWorld.xy, cell, 0.006), 0.9 * lines(atWorld.xy, cell * 10.0, 0.0016));
        diffuseColor.rgb = mix(diffuseColor.rgb, line, covered);
        float far = distance(atWorld.xy, centre) / fade;
        diffuseColor.a = (1.0 - smoothstep(0.25, 1.0, far)) * mix(covered, 1.0, solid);`);
  };
  const ground = new Mesh(new PlaneGeometry(1, 1), material);
  ground.receiveShadow = true;
  ground.renderOrder = -1;
  ground.uniforms = uniforms;
  return ground;
}

/** The light of a room with bright panels, for soft reflections. */
function makeRoom(renderer) {
  const room = new Scene();
  const wall = new MeshBasicMaterial({ color: "#6f7780", side: BackSide });
  room.add(new Mesh(new SphereGeometry(10, 24, 16), wall));
  const panel = (x, y, z, size, brightness) => {
    const lamp = new Mesh(new PlaneGeometry(size, size), new MeshBasicMaterial({ color: new Color(brightness, brightness, brightness), side: DoubleSide }));
    lamp.position.set(x, y, z);
    lamp.lookAt(0, 0, 0);
    room.add(lamp);
  };
  panel(0, 0, 8, 8, 3.2);
  panel(7, -4, 3, 4, 2.4);
  panel(-7, 3, 3, 4, 1.6);
  const generator = new PMREMGenerator(renderer);
  const texture = generator.fromScene(room, 0.05, 0.1, 100).texture;
  generator.dispose();
  room.traverse((object) => {
    object.geometry?.dispose();
    object.material?.dispose();
  });
  return texture;
}
