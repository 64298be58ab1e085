import type pg from "pg";
import { UnusableDatabase } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";

/** A database that cannot be used at present, for the reason that the message names. */
class UnfitDatabase extends Error {}

interface SessionSettings {
  readonly asked: string;
  readonly encoding: string;
  readonly fsync: string;
  readonly standby: boolean;
}

/**
 * Checks a new connection: text must be stored unchanged, the server must accept writes, and a commit must be on disk
 * before it is answered. If the database is set to answer sooner, the session's setting is corrected and the operator
 * is told in one line.
 */
export async function checkSession(client: pg.ClientBase, observer: Pick<Observer, "notice">): Promise<void> {
  const { rows } = await client.query<SessionSettings>(
    `SELECT current_setting('synchronous_commit') AS asked, current_setting('server_encoding') AS encoding,
       current_setting('fsync') AS fsync, pg_is_in_recovery() AS standby`,
  );
  const [session] = rows;
  if (!session) return;
  if (session.encoding !== "UTF8") {
    throw new UnusableDatabase(
      `The database of DATABASE_URL must have the encoding UTF8, and has ${session.encoding}: make another with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  }
  if (session.standby) throw new UnfitDatabase("it is a standby, which takes no writes");
  if (session.fsync !== "on")
    observer.notice("The database runs with fsync = off: a power cut can lose what was answered");
  if (session.asked === "off" || session.asked === "local") {
    observer.notice(
      `The database is set to synchronous_commit = ${session.asked}; this service commits with "on" all the same`,
    );
    await client.query("SET synchronous_commit = on");
  }
}
