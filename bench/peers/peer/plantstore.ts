import { resolve } from "node:path";
import type { Place } from "#harness/place.ts";
import { run } from "#harness/process.ts";
import { type Peer, usual } from "./peer.ts";

const email = "bench@example.com";

const command = (place: Place, ...words: string[]) => ({
  arguments: [resolve(place.installation, "bin/plantstore"), ...words],
  folder: place.data,
  environment: {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(place.port),
    DATABASE_URL: place.databaseUrl || `sqlite:${place.databaseFile}`,
  },
});

const plantstore = {
  ...usual,
  columns: undefined,
  source: "plantstore",
  runtime: "bun",
  installed: ["bin", "src", "node_modules"],
  version: async (installation) => (await Bun.file(resolve(installation, "package.json")).json()).version,
  serve: (place) => command(place, "serve"),
  ready: "/readyz",
  plants: "/v1/plants",
  async token(place) {
    await run(command(place, "account", "create", "--email", email, "--json"), 30);
    const token = await run(command(place, "token", "create", "--account", email, "--name", "comparison"), 30);
    return token.trim();
  },
} satisfies Partial<Peer>;

export const plantstoreSqlite: Peer = {
  ...plantstore,
  name: "plantstore-sqlite",
  title: "Plantstore on SQLite",
  engine: "SQLite",
  settings: "as it comes (WAL, `synchronous=FULL`)",
};

export const plantstorePostgres: Peer = {
  ...plantstore,
  name: "plantstore-postgres",
  title: "Plantstore on PostgreSQL",
  engine: "PostgreSQL",
  settings: "as it comes; PostgreSQL with the same settings as above",
};
