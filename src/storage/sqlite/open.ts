import type { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import type { Store } from "#core/store.ts";
import { Accounts } from "../accounts.ts";
import { keptSecret } from "../kept-secrets.ts";
import { migrate } from "../migrate.ts";
import { RemovedAccounts } from "../removed-accounts.ts";
import type { Schema } from "../schema.ts";
import type { Storage } from "../storage.ts";
import { Tokens } from "../tokens.ts";
import { Usage } from "../usage.ts";
import { Checkpointer } from "./checkpointer.ts";
import { Committer } from "./committer.ts";
import { openForWriting } from "./connection.ts";
import { bunSqliteDialect } from "./dialect.ts";
import { inCommit } from "./in-commit.ts";
import { Indexer } from "./indexer.ts";
import { SqlitePlants } from "./plants.ts";
import { Reader } from "./reader.ts";

/** Opens a SQLite file. One connection of this thread writes all; it never waits inside SQLite for a lock. */
export async function openSqlite(path: string): Promise<Storage> {
  const database = openForWriting(path);
  const db = new Kysely<Schema>({ dialect: bunSqliteDialect(database) });
  await migrate(db, "sqlite");
  const checkpointer = new Checkpointer(database, path);
  const committer = new Committer(database, () => {
    checkpointer.committed();
    indexer.committed();
  });
  const indexer = new Indexer(database, committer);
  const parts = { checkpointer, committer, indexer, reader: new Reader(path) };
  const atomically = inCommit(database, committer);
  return {
    store: sqliteStore(database, db, parts),
    db,
    engine: "sqlite",
    atomically,
    ready: Promise.resolve(),
    rateLimiter: undefined,
  };
}

interface Parts {
  readonly checkpointer: Checkpointer;
  readonly committer: Committer;
  readonly indexer: Indexer;
  readonly reader: Reader;
}

function sqliteStore(database: Database, db: Kysely<Schema>, parts: Parts): Store {
  const { checkpointer, committer, indexer, reader } = parts;
  const plants = new SqlitePlants(database, committer, reader);
  const usage = new Usage(db, inCommit(database, committer));
  const removedAccounts = new RemovedAccounts(db, [plants, usage]);
  return {
    plants,
    usage,
    tokens: new Tokens(db),
    accounts: new Accounts(db, (account) => removedAccounts.empty(account)),
    keptSecret: (name, make) => keptSecret(db, name, make),
    writable: () => committer.run((writer) => writer.touch()),
    async close() {
      removedAccounts.close();
      indexer.close();
      reader.close();
      await committer.close();
      checkpointer.close();
      database.close();
    },
  };
}
