import { resolve } from "node:path";
import type { Place } from "#harness/place.ts";
import { run } from "#harness/process.ts";
import type { Peer } from "./peer.ts";

const email = "bench@example.com";

const environment = (place: Place) => ({
  NODE_ENV: "production",
  HOST: "127.0.0.1",
  PORT: String(place.port),
  DATABASE_URL: place.databaseUrl || `sqlite:${place.databaseFile}`,
});

const command = (place: Place, ...words: string[]) => ({
  arguments: [resolve(place.installation, "bin/plantstore"), ...words],
  folder: place.data,
  environment: environment(place),
});

const plantstore = {
  source: "plantstore",
  runtime: "bun",
  install: [["npm", "ci"]],
  installed: ["bin", "src", "node_modules"],
  async version(installation) {
    const { version } = await Bun.file(resolve(installation, "package.json")).json();
    return version;
  },
  serve: (place) => command(place, "serve"),
  ready: "/readyz",
  async open(place) {
    await run(command(place, "account", "create", "--email", email, "--json"), 30);
    const token = await run(command(place, "token", "create", "--account", email, "--name", "comparison"), 30);
    return { path: "/v1/plants", token: token.trim() };
  },
  body: ({ id, name, tag }) => `{"id":${id},"name":"${name}","tag":"${tag}"}`,
  read: (id) => `/v1/plants/${id}`,
  idColumn: "id",
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
