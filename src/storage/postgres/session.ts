import type pg from "pg";

/** Tells the operator of the service something about the database, in one line. */
export type Notice = (message: string) => void;

/** A database that cannot be used as it is set up; the message says what would be right. */
class UnfitDatabase extends Error {}

interface Session {
  readonly asked: string;
  readonly encoding: string;
  readonly fsync: string;
  readonly standby: boolean;
}

/**
 * Looks at a new connection: text must be kept as it is, a standby takes no writes, and a commit is on disk before it
 * is answered. Where the database is set to answer sooner, the session is set right and the operator told.
 */
export async function checkSession(client: pg.ClientBase, notice: Notice): Promise<void> {
  const { rows } = await client.query<Session>(
    `SELECT current_setting('synchronous_commit') AS asked, current_setting('server_encoding') AS encoding,
       current_setting('fsync') AS fsync, pg_is_in_recovery() AS standby`,
  );
  const [session] = rows;
  if (!session) return;
  if (session.encoding !== "UTF8") {
    throw new UnfitDatabase(`the database must have the encoding UTF8, and has ${session.encoding}`);
  }
  if (session.standby) throw new UnfitDatabase("it is a standby, which takes no writes");
  if (session.fsync !== "on") notice("The database runs with fsync = off: a power cut can lose what was answered");
  if (session.asked === "off" || session.asked === "local") {
    notice(`The database is set to synchronous_commit = ${session.asked}; this service commits with "on" all the same`);
    await client.query("SET synchronous_commit = on");
  }
}
