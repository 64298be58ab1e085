/** The share of idle time, and the share of all time when there is no idle time. */
const SHARE_OF_IDLE = 0.5;
const SHARE_MIN = 0.02;
/** The period over which idle time is measured. */
const MEASURED_MS = 100;
/** A timer that is later than this shows that the serving thread was computing, or waiting for the disk. */
const LATE_MS_MAX = 2;

const PROCESS_CLOCKS = {
  nowMs: () => performance.now(),
  /** The processor time used by the process so far. */
  processorMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * The share of the serving thread's time that deferrable work may take. Processor time alone would not tell, since the
 * process may have to share its processor, or wait for its disk. So while others write, a late timer counts as no idle
 * time.
 */
export class IdleBudget {
  #share = SHARE_MIN;
  #since = 0;
  #processorSince = 0;
  #workMs = 0;
  #writes = 0;
  #lateMs = 0;

  constructor(private readonly clocks = PROCESS_CLOCKS) {
    this.#measureAnew();
  }

  /** Called when another part of the process has written. */
  wrote(): void {
    this.#writes++;
  }

  worked(ms: number): void {
    this.#workMs += ms;
  }

  late(ms: number): void {
    this.#lateMs = Math.max(this.#lateMs, ms);
  }

  /** The share of time that the indexer may use, from 0.02 to 0.5. */
  share(): number {
    const elapsedMs = this.clocks.nowMs() - this.#since;
    if (elapsedMs < MEASURED_MS) return this.#share;
    const busyMs = this.clocks.processorMs() - this.#processorSince - this.#workMs;
    const pressed = this.#writes > 0 && this.#lateMs > LATE_MS_MAX;
    const idle = pressed ? 0 : Math.min(1, 1 - busyMs / elapsedMs);
    this.#share = Math.max(SHARE_MIN, SHARE_OF_IDLE * idle);
    this.#measureAnew();
    return this.#share;
  }

  #measureAnew(): void {
    this.#since = this.clocks.nowMs();
    this.#processorSince = this.clocks.processorMs();
    this.#workMs = this.#writes = this.#lateMs = 0;
  }
}
