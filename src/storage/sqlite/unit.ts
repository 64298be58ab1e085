import type { Database } from "bun:sqlite";
import type { CompiledQuery, QueryResult } from "kysely";
import type { QueuedWrite } from "../write-queue.ts";
import { executeCompiled } from "./compiled-query.ts";
import { PlantWriter } from "./plant-writer.ts";

/** Everything that writes on SQLite. Only a unit of work receives it, inside the committer's transaction. */
export class Writers {
  readonly plants: PlantWriter;

  constructor(
    private readonly database: Database,
    keepsEvents = true,
  ) {
    this.plants = new PlantWriter(database, keepsEvents);
  }

  execute<Row>(query: CompiledQuery): QueryResult<Row> {
    return executeCompiled(this.database, query);
  }
}

/** One caller's write, of which either everything is stored or nothing. It runs synchronously, without an await. */
export interface Unit extends QueuedWrite {
  readonly kind: UnitKind;
  /** Called after the transaction is on disk. */
  answer(): void;
}

/** A way to write units. Units of one kind that are next to each other in a batch are written by one call. */
export interface UnitKind {
  /**
   * True if a failed unit leaves nothing behind and its error goes to its caller alone; such units are written one by
   * one. An error of any other unit rolls the whole batch back.
   */
  readonly isolated: boolean;
  write(units: readonly Unit[], writers: Writers, now: number): void;
}
