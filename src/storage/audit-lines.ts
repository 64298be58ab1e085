import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import { recordFromRow } from "./audit.ts";
import type { Queries } from "./database-access.ts";

const INTERVAL_MS = 1000;
const LINES_AT_ONCE = 500;

/** The job of a service that tells its observer of the entries that commands have made. */
export function auditLinesJob(db: Queries, observer: Pick<Observer, "audited">): Job {
  return {
    name: "audit-lines",
    intervalMs: INTERVAL_MS,
    run: async () => ((await tellOfCommands(db, observer)) ? 0 : undefined),
  };
}

/** Logs waiting entries; among several nodes, the one that removes a row logs it. Resolves with true if more may wait. */
async function tellOfCommands(db: Queries, observer: Pick<Observer, "audited">): Promise<boolean> {
  const waiting = await db.selectFrom("audit_lines").select("id").orderBy("id").limit(LINES_AT_ONCE).execute();
  if (waiting.length === 0) return false;
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  const taken = await db.deleteFrom("audit_lines").where("id", "in", ids(waiting)).returning("id").execute();
  if (taken.length === 0) return false;
  const entries = db.selectFrom("audit_entries").selectAll().where("id", "in", ids(taken)).orderBy("id");
  for (const row of await entries.execute()) observer.audited(recordFromRow(row));
  return waiting.length === LINES_AT_ONCE;
}
