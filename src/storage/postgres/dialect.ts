import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPoolClient,
  type TransactionSettings,
} from "kysely";
import { requireStorable } from "../storable-parameters.ts";
import { toFailure } from "./errors.ts";
import type { Lent, Pool } from "./pool.ts";

/** Kysely over the bounded pool; errors of the storage become the Failure "unavailable". */
export function pooledDialect(pool: Pool): Dialect {
  return new PostgresDialect(configFor(pool));
}

/**
 * For migrations alone: every transaction holds the migration lock until its end. A lock of the session, as Kysely
 * takes it, would be lost or left behind where a pooler hands each transaction another session.
 */
export function migratingDialect(pool: Pool): Dialect {
  return new (class extends PostgresDialect {
    override createDriver(): Driver {
      return new LockingDriver(configFor(pool));
    }
    override createAdapter(): PostgresAdapter {
      return new AdapterWithoutSessionLock();
    }
  })(configFor(pool));
}

/** Any number that no other program is likely to lock in the same database. */
const MIGRATION_LOCK = "5786213904417";

/** Only other migrations wait for the migration lock. Creates wait behind a migration that waits for a table. */
const MIGRATION_LOCK_MS_MAX = 5000;
const TABLE_LOCK_MS_MAX = 200;

async function setLockTimeout(connection: DatabaseConnection, ms: number): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`SET LOCAL lock_timeout = ${ms}`));
}

class LockingDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await super.beginTransaction(connection, settings);
    await setLockTimeout(connection, MIGRATION_LOCK_MS_MAX);
    await connection.executeQuery(CompiledQuery.raw(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`));
    await setLockTimeout(connection, TABLE_LOCK_MS_MAX);
  }
}

class AdapterWithoutSessionLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

function configFor(pool: Pool): PostgresDialectConfig {
  return { pool: { connect: async () => inKyselysTerms(await pool.connect()), end: () => pool.end() } };
}

function inKyselysTerms(client: Lent): PostgresPoolClient {
  const query = async (text: string, values: readonly unknown[] = []) => {
    requireStorable(values);
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      throw toFailure(error);
    }
  };
  // Kysely's type has an overload for cursors, which nothing here calls.
  return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
}
