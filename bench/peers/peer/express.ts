import { packageVersion } from "#harness/packages.ts";
import { postgresSettings } from "#harness/postgres.ts";
import { node } from "#harness/runtime.ts";
import type { Peer } from "./peer.ts";

const token = "a-token-from-the-environment";
/** More than the ten of node-postgres, because concurrent transactions share an fsync. */
const poolSize = 32;

export const express: Peer = {
  name: "express",
  title: "Express + Drizzle on PostgreSQL",
  engine: "PostgreSQL",
  settings: `\`NODE_ENV=production\`, a prepared insert, a pool of ${poolSize}, \`etag\` and \`x-powered-by\` off, no log; PostgreSQL with ${postgresSettings.map((setting) => `\`${setting}\``).join(", ")}, its fsync and synchronous_commit on as they come`,
  source: "express",
  runtime: "node",
  install: [["npm", "ci"]],
  installed: ["node_modules"],
  version: async (installation) =>
    `${await packageVersion(installation, "express")} + ${await packageVersion(installation, "drizzle-orm")}`,
  serve: (place) => ({
    arguments: [node(), "server.ts"],
    folder: place.installation,
    environment: {
      NODE_ENV: "production",
      PORT: String(place.port),
      DATABASE_URL: place.databaseUrl,
      POOL_SIZE: String(poolSize),
      TOKEN: token,
    },
  }),
  ready: "/",
  open: async () => ({ path: "/plants", token }),
  body: ({ id, name, tag }) => `{"id":${id},"name":"${name}","tag":"${tag}"}`,
  read: (id) => `/plants/${id}`,
  idColumn: "id",
};
