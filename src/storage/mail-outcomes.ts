import { sql } from "kysely";
import type { Queries } from "./database-access.ts";

/** The last sent message and the last failed attempt with its reason. Times are in RFC 3339. */
export interface MailOutcomes {
  readonly sentAt?: string | undefined;
  readonly failedAt?: string | undefined;
  readonly error?: string | undefined;
}

/** The names of both among the kept values. */
const SENT = "mail-sent";
const FAILED = "mail-failed";
const ERROR_LENGTH_MAX = 300;

/** `problem` is that of an attempt that failed. */
export async function noteMailOutcome(db: Queries, now: number, problem?: string): Promise<void> {
  const at = new Date(now).toISOString();
  const name = problem === undefined ? SENT : FAILED;
  const value = problem === undefined ? at : `${at} ${problem.slice(0, ERROR_LENGTH_MAX)}`;
  await db
    .insertInto("kept_secrets")
    .values({ name, value })
    .onConflict((taken) => taken.column("name").doUpdateSet({ value: sql.ref("excluded.value") }))
    .execute();
}

export async function readMailOutcomes(db: Queries): Promise<MailOutcomes> {
  const rows = await db.selectFrom("kept_secrets").selectAll().where("name", "in", [SENT, FAILED]).execute();
  const failed = rows.find(({ name }) => name === FAILED)?.value;
  return {
    sentAt: rows.find(({ name }) => name === SENT)?.value,
    failedAt: failed?.split(" ", 1)[0],
    error: failed?.slice(failed.indexOf(" ") + 1),
  };
}
