/** Programs as a good engineer writes them in an afternoon. */
import { node, packageVersion } from "#harness/place.ts";
import { postgresSettings } from "#harness/postgres.ts";
import { inProduction, type Peer, usual } from "./peer.ts";

const token = "a-token-from-the-environment";
/** More than the ten of node-postgres, because concurrent transactions share an fsync. */
const poolSize = 32;

const program = {
  ...usual,
  runtime: "node",
  ready: "/",
  token: async () => token,
} satisfies Partial<Peer>;

/** The versions of the framework and of what reaches the database. */
const versions =
  (...names: string[]) =>
  async (installation: string) =>
    (await Promise.all(names.map((name) => packageVersion(installation, name)))).join(" + ");

export const fastify: Peer = {
  ...program,
  name: "fastify",
  title: "Fastify + better-sqlite3",
  engine: "SQLite",
  settings: "WAL, `synchronous=FULL`, a prepared insert, schemas for body and answer, no log",
  source: "fastify",
  version: versions("fastify", "better-sqlite3"),
  serve: (place) => inProduction(place, [node(), "server.ts"], { DATABASE_FILE: place.databaseFile, TOKEN: token }),
};

export const express: Peer = {
  ...program,
  name: "express",
  title: "Express + Drizzle on PostgreSQL",
  engine: "PostgreSQL",
  settings: `\`NODE_ENV=production\`, a prepared insert, a pool of ${poolSize}, \`etag\` and \`x-powered-by\` off, no log; PostgreSQL with ${postgresSettings.map((setting) => `\`${setting}\``).join(", ")}, its fsync and synchronous_commit on as they come`,
  source: "express",
  version: versions("express", "drizzle-orm"),
  serve: (place) => {
    const settings = { DATABASE_URL: place.databaseUrl, POOL_SIZE: String(poolSize), TOKEN: token };
    return inProduction(place, [node(), "server.ts"], settings);
  },
};
