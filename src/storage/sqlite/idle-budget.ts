/** Of the time that the process leaves idle, and of all time when it leaves none. */
const SHARE_OF_IDLE = 0.5;
const SHARE_MIN = 0.02;
/** How far back it looks. */
const MEASURED_MS = 100;
/** Later than that, a timer tells that the thread that serves had no time: it computed, or waited for the disk. */
const LATE_MS_MAX = 2;

/**
 * How much of the time of the thread that serves may go into work that can wait. Processor time alone would not tell:
 * the process may have to share its processor, or wait for its disk. So while others write, a late timer counts as no
 * time to spare.
 */
export class IdleBudget {
  #share = SHARE_MIN;
  #since = 0;
  #cpuSince = process.cpuUsage();
  #workMs = 0;
  #writes = 0;
  #lateMs = 0;

  constructor() {
    this.measureAnew();
  }

  /** Someone else wrote. */
  wrote(): void {
    this.#writes++;
  }

  worked(ms: number): void {
    this.#workMs += ms;
  }

  late(ms: number): void {
    this.#lateMs = Math.max(this.#lateMs, ms);
  }

  /** From 0.02 to 0.5. */
  share(): number {
    const elapsedMs = performance.now() - this.#since;
    if (elapsedMs < MEASURED_MS) return this.#share;
    const { user, system } = process.cpuUsage(this.#cpuSince);
    const busyMs = (user + system) / 1000 - this.#workMs;
    const pressed = this.#writes > 0 && this.#lateMs > LATE_MS_MAX;
    const idle = pressed ? 0 : Math.min(1, 1 - busyMs / elapsedMs);
    this.#share = Math.max(SHARE_MIN, SHARE_OF_IDLE * idle);
    this.measureAnew();
    return this.#share;
  }

  measureAnew(): void {
    this.#since = performance.now();
    this.#cpuSince = process.cpuUsage();
    this.#workMs = this.#writes = this.#lateMs = 0;
  }
}
