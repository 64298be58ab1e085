import { LIMIT_ROWS_MADE, type LimitRow, RESOURCES } from "#load/limit-row.ts";
import "#accounts/identity-provider.ts";
import "#accounts/identity-service.ts";
import "#accounts/invitation-service.ts";
import "#accounts/mailed-links.ts";
import "#accounts/passkey-service.ts";
import "#accounts/password.ts";
import "#accounts/proofs.ts";
import "#accounts/second-factor-service.ts";
import "#accounts/sign-in-cookies.ts";
import "#accounts/sign-in.ts";
import "#accounts/sign-up.ts";
import "#backup/s3-destination.ts";
import "#http/body-chunks.ts";
import "#http/body.ts";
import "#http/bulk-run.ts";
import "#http/dashboard/api.ts";
import "#http/feed/event-stream.ts";
import "#http/large-answer.ts";
import "#http/late-answers.ts";
import "#http/negotiation.ts";
import "#http/routes/events.ts";
import "#http/routes/plants.ts";
import "#http/unfinished-bodies.ts";
import "#observability/request-log.ts";
import "./listening/listeners.ts";
import "./threads/mcp.ts";
import "./threads/reading.ts";
import "#storage/audit.ts";
import "#storage/failed-sign-ins.ts";
import "#storage/imports.ts";
import "#storage/mail.ts";
import "#storage/member-steps.ts";
import "#storage/plant-row.ts";
import "#storage/postgres/pool.ts";
import "#storage/postgres/pools.ts";
import "#storage/sign-in/identities.ts";
import "#storage/sign-in/sessions.ts";
import "#storage/sign-in/trusted-devices.ts";
import "#storage/sqlite/checkpointer.ts";
import "#storage/sqlite/log-hold.ts";
import "#storage/sqlite/plant-scan.ts";
import "#storage/sqlite/snapshot-copy.ts";
import "#storage/stores.ts";
import "#storage/tokens.ts";
import "#storage/webhook-endpoints.ts";
import "#storage/write-queue.ts";
import "#webhooks/connections.ts";
import "#webhooks/deliverer.ts";
import "#webhooks/endpoint-delivery.ts";
import "#webhooks/endpoint-health.ts";
import "#webhooks/webhook-service.ts";

export const LIMIT_TITLES = ["resource", "bounded", "by", "each", "all", "beyond it", "metric", "measured by"];

/** Every row of the table of limits, by resource and name. The files imported above hold the limits, and make the rows. */
export const LIMIT_ROWS: readonly LimitRow[] = LIMIT_ROWS_MADE.toSorted(
  (a, b) => RESOURCES.indexOf(a.resource) - RESOURCES.indexOf(b.resource) || (a.name < b.name ? -1 : 1),
);

/** The cells of a row as text, in the order of the titles. */
export function limitCells(row: LimitRow): string[] {
  const { resource, name, usedBy, beyond, metric, measuredBy } = row;
  const each =
    row.max === undefined
      ? amount(row, row.each, row.waitingEach)
      : `${row.max} in ${duration((row.windowSeconds ?? 0) * 1000)}`;
  return [resource, name, usedBy, each, amount(row, row.all, row.waiting), beyond, metric, measuredBy ?? "chosen"];
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
