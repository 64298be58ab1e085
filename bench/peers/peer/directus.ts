import { Database } from "bun:sqlite";
import { resolve } from "node:path";
import { node, type Place, packageVersion } from "#harness/place.ts";
import { run } from "#harness/process.ts";
import { type Peer, usual } from "./peer.ts";

const token = "a-static-token-of-the-administrator";

/** The collection as Directus' own dashboard would create it, but without the tracking of every change. */
const plantsCollection = {
  collection: "plants",
  schema: {},
  meta: { accountability: null },
  fields: [
    { field: "id", type: "bigInteger", schema: { is_primary_key: true }, meta: {} },
    { field: "name", type: "text", schema: { is_nullable: false }, meta: {} },
    { field: "tag", type: "text", schema: {}, meta: {} },
  ],
};

const command = (place: Place, name: string) => ({
  arguments: [node("node-22"), resolve(place.installation, "node_modules/directus/cli.js"), name],
  folder: place.data,
  environment: {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(place.port),
    PUBLIC_URL: place.url,
    SECRET: "only-for-the-comparison-0123456789",
    DB_CLIENT: "sqlite3",
    DB_FILENAME: place.databaseFile,
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_PASSWORD: "only-for-the-comparison",
    ADMIN_TOKEN: token,
    LOG_LEVEL: "error",
    TELEMETRY: "false",
    RATE_LIMITER_ENABLED: "false",
    // It is on by default and answers 503 when the event loop is late, which under this load is always.
    PRESSURE_LIMITER_ENABLED: "false",
  },
});

export const directus: Peer = {
  ...usual,
  name: "directus",
  title: "Directus",
  engine: "SQLite",
  settings:
    "WAL, `synchronous=FULL`, `LOG_LEVEL=error`; telemetry, limiters, activity and revisions off; the administrator's static token; Node 22, as in its image",
  source: "directus",
  runtime: "node-22",
  version: (installation) => packageVersion(installation, "directus"),
  async prepare(place) {
    await run(command(place, "bootstrap"), 120);
    // Directus has no setting for the mode, which is a property of the file and stays.
    const database = new Database(place.databaseFile);
    database.run("PRAGMA journal_mode = WAL");
    database.close();
  },
  serve: (place) => command(place, "start"),
  ready: "/server/ping",
  plants: "/items/plants",
  async token(place) {
    const answer = await fetch(`${place.url}/collections`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(plantsCollection),
    });
    if (!answer.ok) throw new Error(`Directus refused the collection: ${await answer.text()}`);
    return token;
  },
  key: (_, answer) => JSON.parse(answer).data.id,
  queries: { "list a hundred": "?limit=100", "search a word": "?filter[name][_contains]={word}" },
};
