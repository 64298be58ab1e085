import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * The request log, partitioned by day, so that a day is dropped as a whole. The node that first logs on a day makes its
 * partition. On SQLite the log is a separate file.
 */
export async function up(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine !== "postgres") return;
  await sql`CREATE SEQUENCE requests_number AS bigint`.execute(db);
  await sql`
    CREATE TABLE requests (
      number bigint NOT NULL DEFAULT nextval('requests_number'),
      account bigint NOT NULL,
      request_id text NOT NULL,
      at bigint NOT NULL,
      status integer NOT NULL,
      error integer,
      token text,
      path text COLLATE "C" NOT NULL,
      plant text,
      address text,
      entry text NOT NULL
    ) PARTITION BY RANGE (at)`.execute(db);
  await sql`CREATE INDEX requests_account ON requests (account, number)`.execute(db);
  await sql`CREATE INDEX requests_error ON requests (account, error, number) WHERE error IS NOT NULL`.execute(db);
  await sql`CREATE INDEX requests_id ON requests (request_id)`.execute(db);
}
