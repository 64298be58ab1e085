import { type RawBuilder, sql } from "kysely";
import type { Engine } from "./engine.ts";

/** Milliseconds since 1970 by the database's clock, so that the clocks of the nodes need not agree. */
export const DATABASE_NOW: Readonly<Record<Engine, RawBuilder<number>>> = {
  sqlite: sql<number>`CAST(unixepoch('subsec') * 1000 AS integer)`,
  postgres: sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
};
