import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The item whose value by `by` is the median. There must be at least one item. */
export function median<T>(of: readonly T[], by: (value: T) => number = Number): T {
  const middle = of.toSorted((a, b) => by(a) - by(b))[Math.floor(of.length / 2)];
  if (middle === undefined) throw new Error("There is no median of nothing");
  return middle;
}

/** The value that this share of all does not exceed. */
export function quantile(of: readonly number[], share: number): number {
  return of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] ?? Number.NaN;
}

/** The median with the least and the most, as in "12 (10 to 15)". */
export function spread(of: readonly number[], digits = 0): string {
  const [middle, least, most] = [median(of), Math.min(...of), Math.max(...of)].map((each) => each.toFixed(digits));
  return `${middle} (${least} to ${most})`;
}

/** The milliseconds that each of so many acts takes, one after the other. */
export async function timesOf(count: number, act: (at: number) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    await act(at);
    times.push(performance.now() - start);
  }
  return times;
}

/** The milliseconds of appends of 4 KiB in a folder, each followed by fdatasync, which bounds every durable create. */
export async function fsyncTimes(folder: string): Promise<number[]> {
  const path = join(folder, `fsync-${process.pid}`);
  const file = openSync(path, "w");
  const page = Buffer.alloc(4096, 1);
  const times = await timesOf(500, () => {
    writeSync(file, page);
    fdatasyncSync(file);
  });
  closeSync(file);
  rmSync(path);
  return times;
}
