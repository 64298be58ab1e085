import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/** The rate limit of each token over all nodes. The columns are those of rate-limiter-flexible. */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== "postgres") return;
  await sql`
    CREATE UNLOGGED TABLE request_counts (
      key varchar(255) PRIMARY KEY,
      points integer NOT NULL DEFAULT 0,
      expire bigint
    ) WITH (fillfactor = 50)`.execute(db);
}
