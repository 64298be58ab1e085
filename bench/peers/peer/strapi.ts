import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { node, packageVersion } from "#harness/place.ts";
import { inProduction, type Peer, usual } from "./peer.ts";

const program = "node_modules/@strapi/strapi/bin/strapi.js";
const onlyHere = "only-for-the-comparison-0123456789";

export const strapi: Peer = {
  ...usual,
  name: "strapi",
  title: "Strapi",
  engine: "SQLite",
  settings:
    "better-sqlite3 with WAL and `synchronous=FULL`; request log, telemetry, drafts and counts off; a unique index on the plant's number; an API token with full access",
  source: "strapi",
  runtime: "node",
  install: [
    // `npm ci` would need every optional binary of every platform, and some were never published.
    ["npm", "install"],
    [node(), program, "build"],
  ],
  installed: ["node_modules", "dist"],
  version: (installation) => packageVersion(installation, "@strapi/strapi"),
  async prepare(place) {
    await mkdir(resolve(place.installation, "public/uploads"), { recursive: true });
  },
  serve: (place) =>
    inProduction(place, [node(), program, "start"], {
      DATABASE_FILE: place.databaseFile,
      TOKEN_FILE: resolve(place.data, "token"),
      STRAPI_SECRET: onlyHere,
      STRAPI_TELEMETRY_DISABLED: "true",
    }),
  ready: "/_health",
  plants: "/api/plants",
  token: (place) => Bun.file(resolve(place.data, "token")).text(),
  body: ({ id, name, tag }) => `{"data":{"number":${id},"name":"${name}","tag":"${tag}"}}`,
  key: (_, answer) => JSON.parse(answer).data.documentId,
  queries: {
    "list a hundred": "?pagination[pageSize]=100",
    "search a word": "?filters[name][$contains]={word}",
  },
  change: { method: "PUT", body: '{"data":{"name":"Changed {id}"}}' },
  filledKey: "p{id}",
  columns: (name) => {
    const time = "1700000000000";
    const times = { created_at: time, updated_at: time, published_at: time };
    return { document_id: "'p' || at", number: "at", name, tag: "'tree'", ...times };
  },
  idColumn: "number",
};
