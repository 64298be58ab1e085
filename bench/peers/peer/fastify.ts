import { packageVersion } from "#harness/packages.ts";
import { node } from "#harness/runtime.ts";
import type { Peer } from "./peer.ts";

const token = "a-token-from-the-environment";

export const fastify: Peer = {
  name: "fastify",
  title: "Fastify + better-sqlite3",
  engine: "SQLite",
  settings:
    "`NODE_ENV=production`, WAL, `synchronous=FULL`, one prepared insert and one transaction a request, schemas for body and answer, no log",
  source: "fastify",
  runtime: "node",
  install: [["npm", "ci"]],
  installed: ["node_modules"],
  version: async (installation) =>
    `${await packageVersion(installation, "fastify")} + ${await packageVersion(installation, "better-sqlite3")}`,
  serve: (place) => ({
    arguments: [node(), "server.ts"],
    folder: place.installation,
    environment: {
      NODE_ENV: "production",
      PORT: String(place.port),
      DATABASE_FILE: place.databaseFile,
      TOKEN: token,
    },
  }),
  ready: "/",
  open: async () => ({ path: "/plants", token }),
  body: ({ id, name, tag }) => `{"id":${id},"name":"${name}","tag":"${tag}"}`,
  read: (id) => `/plants/${id}`,
  idColumn: "id",
};
