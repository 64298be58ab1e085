import { counted } from "#contract/counted.ts";
import { type Done, paceOf } from "#contract/pace.ts";

const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\u001b[K";

/** A line on standard error that is redrawn as work continues; nothing is written if that is not a terminal. */
export class ProgressLine {
  readonly #started = performance.now();
  readonly #noun: string;
  readonly #bytesTotal: number | undefined;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  #items = 0;
  #bytes = 0;

  /** `noun` is an item in the singular, as in "plant". */
  constructor(noun: string, bytesTotal: number | undefined) {
    this.#noun = noun;
    this.#bytesTotal = bytesTotal;
    if (process.stderr.isTTY) this.#timer = setInterval(() => this.#draw(), 200);
  }

  reached(items: number, bytes: number): void {
    this.#items = items;
    this.#bytes = bytes;
  }

  clear(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    process.stderr.write(CLEAR_LINE);
  }

  #draw(): void {
    const elapsedMs = performance.now() - this.#started;
    const progress = { items: this.#items, bytes: this.#bytes, bytesTotal: this.#bytesTotal, elapsedMs };
    process.stderr.write(CLEAR_LINE + progressText(progress, this.#noun).slice(0, (process.stderr.columns || 80) - 1));
  }
}

/** The finished share, the items, the rate, and the remaining time if the total is known. */
export function progressText(done: Done, noun: string): string {
  const { items, bytesTotal, elapsedMs } = done;
  const { itemsPerSecond, share, secondsLeft } = paceOf(done);
  const parts = [counted(items, noun, grouped), `${grouped(itemsPerSecond)}/s`];
  if (!bytesTotal) return [...parts, duration(Math.ceil(elapsedMs / 1000))].join("  ");
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${"=".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`;
  return [bar, ...parts, secondsLeft === undefined ? "" : `${duration(secondsLeft)} left`].join("  ").trimEnd();
}

/** 1234567 as 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
