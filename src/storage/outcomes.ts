import { sql } from "kysely";
import type { Queries } from "./database-access.ts";

/** What the service does by itself, and its operator is told of. */
export type NotedPart = "mail" | "backup";

/** When it last succeeded, and when it last failed and why. Times are in RFC 3339. */
export interface Outcomes {
  readonly succeededAt?: string | undefined;
  readonly failedAt?: string | undefined;
  readonly error?: string | undefined;
}

const ERROR_LENGTH_MAX = 300;

/** The names of both among the kept values. */
const namesOf = (part: NotedPart) => ({ succeeded: `${part}-succeeded`, failed: `${part}-failed` });

/** `problem` is that of an attempt that failed. */
export async function noteOutcome(db: Queries, part: NotedPart, now: number, problem?: string): Promise<void> {
  const at = new Date(now).toISOString();
  const { succeeded, failed } = namesOf(part);
  const name = problem === undefined ? succeeded : failed;
  const value = problem === undefined ? at : `${at} ${problem.slice(0, ERROR_LENGTH_MAX)}`;
  await db
    .insertInto("kept_secrets")
    .values({ name, value })
    .onConflict((taken) => taken.column("name").doUpdateSet({ value: sql.ref("excluded.value") }))
    .execute();
}

export async function readOutcomes(db: Queries, part: NotedPart): Promise<Outcomes> {
  const names = namesOf(part);
  const rows = await db.selectFrom("kept_secrets").selectAll().where("name", "in", Object.values(names)).execute();
  const failed = rows.find(({ name }) => name === names.failed)?.value;
  return {
    succeededAt: rows.find(({ name }) => name === names.succeeded)?.value,
    failedAt: failed?.split(" ", 1)[0],
    error: failed?.slice(failed.indexOf(" ") + 1),
  };
}
