// The picture: renderer, camera, light, and drawing only after a change.
import { AmbientLight, Box3, Color, DirectionalLight, GridHelper, PerspectiveCamera, Plane, Raycaster, Scene, Spherical, Vector2, Vector3,
  WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const VIEWS = [[1, 0, 0.15], [-1, 0, 0.15], [0, 1, 0.15], [0, -1, 0.15], [0.001, 0, 1], [1, -1.1, 0.6]];

/** Whether the processor draws: smooth edges and round shapes of many triangles are dear there. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const facts = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = facts ? gl.getParameter(facts.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe/i.test(name);
}

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.plain = drawsInSoftware();
    // The picture is opaque, which three.js does not ask for: the browser need not blend it with the page.
    const context = canvas.getContext("webgl2", { alpha: false, antialias: !this.plain, powerPreference: "high-performance" });
    if (!context) throw new Error("this browser offers no WebGL 2, which the picture needs. Switch on hardware acceleration in its settings, or use another browser");
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.changed());
    this.scene.add(new AmbientLight(0xffffff, 1.6));
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(0.5, -0.7, 1);
    this.scene.add(sun);
    this.dirty = true;
    this.colour();
    this.drawing = 0;
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.colour());
    this.resize();
  }
  changed() { this.dirty = true; }
  /** Corners that are drawn of a circle: few of a small one in software, where triangles are dear. */
  corners(radius) { return !this.plain ? 36 : radius < 0.012 * this.size ? 8 : radius < 0.06 * this.size ? 12 : 24; }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.changed();
  }
  colour() {
    const style = getComputedStyle(document.documentElement);
    this.scene.background = new Color(style.getPropertyValue("--back").trim());
    if (this.grid) this.grid.material.color = new Color(style.getPropertyValue("--grid").trim());
    this.changed();
  }

  /** Fits the grid under the robot and the camera to it; `places`: points between which everything lies. */
  fit(places, keepView = false) {
    this.resize();
    this.places = places;
    this.box = new Box3().setFromPoints(places);
    this.size = Math.max(this.box.getSize(new Vector3()).length(), 1e-3);
    this.centre = this.box.getCenter(new Vector3());
    if (!keepView) {
      if (this.grid) this.scene.remove(this.grid);
      this.step = 10 ** Math.floor(Math.log10(this.size));
      this.grid = new GridHelper(this.step * 10, 20, 0x888888, 0x888888);
      this.grid.material.vertexColors = false;
      this.grid.rotation.x = Math.PI / 2;
      this.grid.position.z = this.box.min.z - 0.02 * this.size;
      this.placeGrid(this.centre);
      this.scene.add(this.grid);
      this.colour();
    }
    this.view(5);
  }
  /** Moves the grid by whole squares below a point. */
  placeGrid({ x, y }) {
    this.grid.position.x = Math.round(x / this.step) * this.step;
    this.grid.position.y = Math.round(y / this.step) * this.step;
  }
  /** The height of the grid; null: below the robot. */
  showGround(height) {
    this.grid.position.z = height ?? this.box.min.z - 0.02 * this.size;
    this.changed();
  }
  /** Moves the camera along with a point from where that was in the last call, if it `follows`. */
  accompany(point, follows) {
    if (follows && this.companion) {
      const way = point.clone().sub(this.companion);
      this.camera.position.add(way);
      this.controls.target.add(way);
      this.placeGrid(point);
    }
    this.companion = point;
  }
  turn(angle, rise) {
    const arm = this.camera.position.clone().sub(this.controls.target), round = new Spherical().setFromVector3(new Vector3(arm.x, arm.z, -arm.y));
    round.theta += angle;
    round.phi = Math.min(Math.max(round.phi - rise, 0.01), Math.PI - 0.01);
    const turned = new Vector3().setFromSpherical(round);
    this.camera.position.copy(this.controls.target).add(new Vector3(turned.x, -turned.z, turned.y));
    this.controls.update();
  }
  zoom(factor) {
    this.camera.position.sub(this.controls.target).multiplyScalar(factor).add(this.controls.target);
    this.controls.update();
  }
  /** Shifts the view by shares of the picture's height. */
  shift(right, up) {
    const scale = 1 / this.pixels() * this.canvas.clientHeight, { matrix } = this.camera;
    const way = new Vector3().setFromMatrixColumn(matrix, 0).multiplyScalar(right * scale).addScaledVector(new Vector3().setFromMatrixColumn(matrix, 1), up * scale);
    this.camera.position.add(way);
    this.controls.target.add(way);
    this.controls.update();
  }
  /** Pixels of a metre at the point that the camera turns about. */
  pixels() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.canvas.clientHeight / (2 * distance * Math.tan(this.camera.fov * Math.PI / 360));
  }
  /** Looks along one of six directions at all of the robot. */
  view(index) {
    const back = new Vector3(...VIEWS[index]).normalize(), { centre, distance } = this.frame(back);
    this.camera.near = this.size / 200;
    this.camera.far = this.size * 50;
    this.camera.position.copy(centre).addScaledVector(back, distance);
    this.controls.target.copy(centre);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.changed();
  }
  /** The point to look at and the distance from it at which all places fill the picture; `back`: from there to the camera. */
  frame(back) {
    const right = new Vector3(0, 0, 1).cross(back).normalize(), up = back.clone().cross(right), centre = this.centre.clone();
    const height = Math.tan(this.camera.fov * Math.PI / 360), width = height * this.camera.aspect;
    const seen = () => this.places.map((place) => place.clone().sub(centre)).map((p) => [p.dot(right), p.dot(up), p.dot(back)]);
    const far = () => Math.max(...seen().map(([x, y, z]) => z + Math.max(Math.abs(x) / width, Math.abs(y) / height)));
    for (let i = 0; i < 4; ++i) {  // to the middle of what is seen from there
      const distance = far(), middle = (k) => {
        const values = seen().map((p) => p[k] / (distance - p[2]));
        return distance * (Math.min(...values) + Math.max(...values)) / 2;
      };
      const [x, y] = [middle(0), middle(1)];
      centre.addScaledVector(right, x).addScaledVector(up, y);
    }
    return { centre, distance: 1.08 * far() };
  }

  ray(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }
  /** The plane through a point that faces the camera. */
  facing(point) {
    return new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
  }

  /** The picture as a PNG file. */
  shot() {
    this.renderer.render(this.scene, this.camera);  // browsers keep no picture after they have shown it
    return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png"));
  }
  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    const begun = performance.now();
    this.renderer.render(this.scene, this.camera);
    this.drawing = performance.now() - begun;
    return true;
  }
}
