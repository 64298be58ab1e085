import { type LimitRow, RESOURCES } from "./limit-row.ts";
import * as limits from "./limits.ts";

export const LIMIT_TITLES = ["resource", "bounded", "by", "each", "all", "beyond it", "metric", "measured by"];

/** Every row of the table of limits, in the order of the resources. */
export const LIMIT_ROWS: readonly LimitRow[] = Object.values<object>(limits)
  .flatMap((value): object[] => (value === limits.CONNECTIONS ? Object.values(value) : [value]))
  .filter((value): value is LimitRow => "resource" in value)
  .sort((a, b) => RESOURCES.indexOf(a.resource) - RESOURCES.indexOf(b.resource));

/** The cells of a row as text, in the order of the titles. */
export function limitCells(row: LimitRow): string[] {
  const { resource, name, usedBy, beyond, metric, measuredBy } = row;
  const each =
    row.max === undefined
      ? amount(row, row.each, row.waitingEach)
      : `${row.max} in ${duration((row.windowSeconds ?? 0) * 1000)}`;
  const script = measuredBy === undefined ? "chosen" : `bench/${measuredBy}.ts`;
  return [resource, name, usedBy, each, amount(row, row.all, row.waiting), beyond, metric, script];
}

function amount({ unit }: LimitRow, count: number | undefined, waiting = Number.POSITIVE_INFINITY): string {
  if (count === undefined) return "";
  if (unit === "bytes") return count >= 1024 * 1024 ? `${count / 1024 / 1024} MiB` : `${count / 1024} KiB`;
  if (unit === "ms") return duration(count);
  return Number.isFinite(waiting) ? `${count} at once, ${waiting} waiting` : String(count);
}

function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 120_000) return `${ms / 1000} s`;
  return ms < 7_200_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
}
