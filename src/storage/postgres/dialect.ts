import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPoolClient,
  type TransactionSettings,
} from "kysely";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import { nameOf, requireStorable } from "../database-access.ts";
import { type MigrationRights, migrate } from "../migrate.ts";
import { retried } from "../retried.ts";
import { asFailure, isStatementLost } from "./errors.ts";
import type { Pool } from "./pool.ts";

/** Kysely over the bounded pool. Storage errors become the Failure "unavailable". */
export function pooledDialect(pool: Pool): Dialect {
  return new PostgresDialect(configFor(pool));
}

/**
 * The dialect for migrations: every transaction holds the migration lock until its end. Kysely's own lock belongs to the
 * session, and would be lost or left behind where a pooler gives each transaction another session.
 */
export function migratingDialect(pool: Pool): Dialect {
  return Object.assign(new PostgresDialect(configFor(pool)), {
    createDriver: () => new LockingDriver(configFor(pool)),
  });
}

/** A number that no other program is likely to lock in the same database. */
const MIGRATION_LOCK = "5786213904417";

/**
 * How long a migration waits for the migration lock, which only migrations take, and for the lock of a table, behind which
 * creates wait too.
 */
const MIGRATION_LOCK_MS_MAX = 5000;
const TABLE_LOCK_MS_MAX = 200;

async function setLockTimeout(connection: DatabaseConnection, ms: number): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`SET LOCAL lock_timeout = ${ms}`));
}

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Brings the schema up to date beside nodes that are serving. A migration that waits for a table's lock holds up every
 * statement behind it, creates too, so each attempt gives up after a fraction of a second and lets the others pass.
 */
export function migrateBesideOthers(pool: Pool, rights: MigrationRights): Promise<void> {
  const db = new Kysely({ dialect: migratingDialect(pool) });
  return retried(() => migrate(db, "postgres", rights), isLockTimeout, { delayMs: 500, msMax: 60_000 });
}

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof pg.DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
}

class LockingDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await super.beginTransaction(connection, settings);
    await setLockTimeout(connection, MIGRATION_LOCK_MS_MAX);
    await connection.executeQuery(CompiledQuery.raw(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`));
    await setLockTimeout(connection, TABLE_LOCK_MS_MAX);
  }
}

function configFor(pool: Pool): PostgresDialectConfig {
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect();
    const query = (text: string, values: readonly unknown[] = []) =>
      asFailure(async () => {
        requireStorable(values);
        try {
          return await client.query({ text, name: nameOf(text) }, [...values]);
        } catch (error) {
          // The pool goes on without names.
          if (!isStatementLost(error)) throw error;
          return client.query(text, [...values]);
        }
      });
    // No query here uses a cursor.
    return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
  };
  return { pool: { connect, end: () => pool.end() } };
}
