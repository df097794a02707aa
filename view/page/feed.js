// A running program that moves the robot: it sends configurations as server-sent events, and the page shows the last of them.
import { byId } from "./element.js";
import { placesOf } from "./record.js";

const OPEN = 1e-6;  // of the numbers in q: by how much the page may move them to close the loops

const WORDS = {
  waiting: ["○ Waiting", "The program has not sent a configuration yet"],
  live: ["● Live", "The page follows the program. Press to stop"],
  paused: ["○ Paused", "The program goes on, the page does not follow. Press to follow"],
  lost: ["○ No answer", "The program does not answer; the page tries again"],
  refused: ["○ Refused", "The program refuses another browser"],
  ended: ["○ Ended", "The program has ended"],
};

/** Numbers of a message: time since the program's start, q, values. */
export function decode(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float64Array(bytes.buffer);
}

export class Feed {
  /** Listens to the program that serves this page; `values`: names of the numbers that it sends besides q, whose entries are
   *  `coordinates`. */
  constructor(app, { values }, coordinates, address = "events") {
    this.app = app;
    this.size = coordinates.length;
    this.places = placesOf(app.robot, coordinates.map((name) => `q:${name}`));
    this.values = values;
    this.clock = values.indexOf("time");
    this.received = 0;
    this.message = null;
    this.follows = true;
    this.button = byId("live");
    this.button.hidden = false;
    this.button.addEventListener("click", () => (this.follows ? this.pause() : this.resume()));
    this.enter("waiting");
    app.records.begin("Program", { values });
    this.source = new EventSource(address);
    this.source.onmessage = ({ data }) => this.receive(data);
    this.source.onopen = () => this.enter(!this.received ? "waiting" : this.follows ? "live" : "paused");
    this.source.onerror = () => this.enter(this.source.readyState === EventSource.CLOSED ? "refused" : "lost");
    this.source.addEventListener("end", () => this.end());
  }
  enter(state) {
    if (state === this.state) return;
    this.state = state;
    const [label, title] = WORDS[state];
    Object.assign(this.button, { textContent: label, title });
    this.button.setAttribute("aria-pressed", String(state === "live"));
    this.app.say(["lost", "refused", "ended"].includes(state) ? title : "", "warning");
  }
  receive(data) {
    this.received++;
    this.message = data;
    this.enter(this.follows ? "live" : "paused");
  }
  end() {
    this.source.close();
    this.ended = true;
    this.show();
    this.enter("ended");
    this.app.refresh();
  }
  /** The robot moves by hand or by the page's simulation from now on. */
  pause() {
    if (!this.follows || this.ended) return;
    this.follows = false;
    if (this.state === "live") this.enter("paused");
  }
  resume() {
    if (this.ended) return;
    this.app.play.stop();
    this.app.records.begin("Program", { values: this.values });
    this.follows = true;
    if (this.state === "paused") this.enter("live");
  }
  /** Another robot is shown. */
  close() {
    this.source.close();
    this.button.hidden = true;
  }

  /** Called every frame. True if the robot moved. */
  follow() {
    return this.follows && this.show();
  }
  /** Shows the last message, if it has not been shown. */
  show() {
    if (this.message === null || !this.follows) return false;
    const [seconds, ...numbers] = decode(this.message), { engine, records } = this.app;
    this.message = null;
    if (this.places.missing || numbers.length !== this.size + this.values.length) {
      this.app.say(this.places.missing ? `The program does not send ${this.places.missing}: it moves another robot`
        : `The program sends ${numbers.length - this.values.length} coordinates, the robot has ${this.size}`, "error");
      return false;
    }
    if (!numbers.every((x, i) => i >= this.size || Number.isFinite(x))) {
      this.app.say("The program sends coordinates that are not finite", "error");
      return false;
    }
    const q = this.places.spread(numbers), values = numbers.slice(this.size);
    const problem = engine.set(q);
    if (problem) {
      this.app.report(`The program's configuration cannot be shown: ${problem}`);
      return false;
    }
    const shown = engine.q(), open = Math.max(...shown.map((x, i) => (Number.isNaN(q[i]) ? 0 : Math.abs(x - q[i]))));
    this.app.say(open <= OPEN ? "" : "The program's configuration does not close the loops: the nearest one that does is shown", "warning");
    records.push({ time: this.clock < 0 ? seconds : values[this.clock], q: shown, values });
    return true;
  }
}
