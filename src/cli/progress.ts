/** How far long work got. */
export interface Progress {
  readonly items: number;
  readonly bytes: number;
  /** Undefined if nobody can know it beforehand. */
  readonly bytesTotal: number | undefined;
  readonly elapsedMs: number;
}

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[K";

/** A line on standard error that is drawn over again and again; nothing at all where that is no terminal. */
export class ProgressLine {
  readonly #started = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly unit: string,
    private readonly bytesTotal: number | undefined,
  ) {}

  draw(items: number, bytes: number): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const progress = { items, bytes, bytesTotal: this.bytesTotal, elapsedMs: now - this.#started };
    const text = progressText(progress, this.unit);
    process.stderr.write(CLEAR_LINE + text.slice(0, (process.stderr.columns || 80) - 1));
  }

  clear(): void {
    if (process.stderr.isTTY) process.stderr.write(CLEAR_LINE);
  }
}

/** The share done, the items, the rate, and the time left where the end is known. */
export function progressText({ items, bytes, bytesTotal, elapsedMs }: Progress, unit: string): string {
  const rate = Math.round(items / Math.max(elapsedMs / 1000, 0.001));
  const parts = [`${grouped(items)} ${unit}`, `${grouped(rate)}/s`];
  if (!bytesTotal) return [...parts, duration(elapsedMs)].join("  ");
  const share = Math.min(1, bytes / bytesTotal);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `[${"=".repeat(filled)}${" ".repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)} %`;
  return [bar, ...parts, share === 0 ? "" : `${duration((elapsedMs * (1 - share)) / share)} left`].join("  ").trimEnd();
}

/** 1234567 as 1,234,567. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
