import type { Database } from "bun:sqlite";
import type { CompiledQuery, QueryResult } from "kysely";
import type { Committer } from "./committer.ts";
import { executeCompiled } from "./compiled-query.ts";
import { PlantWriter } from "./plant-writer.ts";
import type { TransactionWriters } from "./unit.ts";

/** Everything that writes on SQLite. Only a unit of work receives it, inside the committer's transaction. */
export class SqliteWriters implements TransactionWriters {
  readonly plants: PlantWriter;
  readonly #database: Database;

  constructor(database: Database, keepsEvents = true) {
    this.#database = database;
    this.plants = new PlantWriter(database, keepsEvents);
  }

  /** Runs a statement that Kysely built. */
  execute<Row>(query: CompiledQuery): QueryResult<Row> {
    return executeCompiled(this.#database, query);
  }

  begin(): void {
    this.plants.begin();
  }

  finish(): void {
    this.plants.finish();
  }

  mark(): () => void {
    return this.plants.mark();
  }
}

export type SqliteCommitter = Committer<SqliteWriters>;
