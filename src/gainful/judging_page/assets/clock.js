/** The seconds that the page was visible. */
export class Clock {
  constructor() {
    this.restart();
    document.addEventListener("visibilitychange", () => this.visible(!document.hidden));
  }

  restart() {
    this.total = 0;
    this.since = document.hidden ? null : performance.now();
  }

  visible(shown) {
    if (!shown && this.since !== null) this.total += performance.now() - this.since;
    this.since = shown ? performance.now() : null;
  }

  seconds() {
    const running = this.since === null ? 0 : performance.now() - this.since;
    return Math.round((this.total + running) / 100) / 10;
  }
}
