import { statSync } from "node:fs";
import { sql } from "kysely";
import type { Storage } from "./storage.ts";

/**
 * Tells a database from every other one, its copies too, for whoever asks on which one a server runs: the file, or the
 * database of a PostgreSQL cluster, unless its operator keeps that from the role. A hash, since anybody may read it. A file that
 * has been replaced since is another.
 */
export function databaseIdentity(url: string, db: Storage["db"]): () => Promise<string | undefined> {
  if (url.startsWith("sqlite:")) {
    const { dev, ino, birthtimeMs } = statSync(url.slice("sqlite:".length));
    const identity = hashed(`${dev} ${ino} ${birthtimeMs}`);
    return async () => identity;
  }
  let known: Promise<string | undefined> | undefined;
  return () => {
    known ??= identityOfCluster(db).catch(() => {
      known = undefined;
      return undefined;
    });
    return known;
  };
}

async function identityOfCluster(db: Storage["db"]): Promise<string> {
  const { rows } = await sql<{ oid: string; cluster: string }>`
    SELECT oid::text AS oid, (SELECT system_identifier::text FROM pg_control_system()) AS cluster
    FROM pg_database WHERE datname = current_database()`.execute(db);
  return hashed(`${rows[0]?.cluster} ${rows[0]?.oid}`);
}

function hashed(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
}
