import { basename, resolve } from "node:path";
import { catalogueLines } from "#harness/fill.ts";
import type { Place } from "#harness/place.ts";
import { run, serverCore } from "#harness/process.ts";
import { query } from "#harness/store.ts";
import type { Backup, Peer, Search } from "./peer.ts";

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

/** The plants that the index does not have yet. Fewer than a slice are read by each search instead. */
const behind = {
  sqlite: `SELECT value - (SELECT coalesce(max(last), 0) FROM plant_search_ranges) AS plants
    FROM counters WHERE name = 'plant_number'`,
  postgres: `SELECT (SELECT max(number) FROM plants) - coalesce((SELECT max(number) FROM plant_search_marks), 0) AS plants`,
};
const sliceLengthMax = 4096;

const search: Search = {
  path: (part) => `/v1/plants?q=${encodeURIComponent(part)}&limit=100`,
  plants: ({ data = [] }) => data,
  next: ({ next_cursor: cursor }) => (cursor ? `&cursor=${encodeURIComponent(cursor)}` : undefined),
  async fill(place, { path, token }) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-ndjson" };
    const answer = await fetch(place.url + path, { method: "POST", headers, body: catalogueLines() });
    if (!answer.ok) throw new Error(`Plantstore refused the catalogue: ${await answer.text()}`);
    await answer.arrayBuffer();
  },
  async indexed(place) {
    const [row] = await query<{ plants: bigint }>(place, place.databaseUrl ? behind.postgres : behind.sqlite);
    return Number(row?.plants) < sliceLengthMax;
  },
};

const backups = (place: Place) => resolve(place.data, "backups");

/** On the server's core, as a backup that a system makes in its own process. */
const backup: Backup = {
  prepare: async () => "",
  async create(place) {
    const { arguments: words, ...rest } = command(place, "backup", "create", "--to", backups(place));
    const name = await run({ arguments: ["taskset", "-c", serverCore, ...words], ...rest }, 120);
    const files = await Array.fromAsync(new Bun.Glob(`${name.trim()}*`).scan(backups(place)));
    const [content] = files.filter((file) => !file.endsWith(".json"));
    if (!content) throw new Error(`There is no file of the backup ${name}`);
    return resolve(backups(place), content);
  },
  async open(file, place) {
    const restored = `${file}.restored`;
    const name = basename(file).replace(/\..*$/, "");
    const words = ["backup", "restore", name, "--from", backups(place), "--into", `sqlite:${restored}`];
    await run(command(place, ...words), 120);
    return restored;
  },
};

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
  search,
} satisfies Partial<Peer>;

export const plantstoreSqlite: Peer = {
  ...plantstore,
  name: "plantstore-sqlite",
  title: "Plantstore on SQLite",
  engine: "SQLite",
  settings: "as it comes (WAL, `synchronous=FULL`)",
  backup,
};

export const plantstorePostgres: Peer = {
  ...plantstore,
  name: "plantstore-postgres",
  title: "Plantstore on PostgreSQL",
  engine: "PostgreSQL",
  settings: "as it comes; PostgreSQL with the same settings as above",
};
