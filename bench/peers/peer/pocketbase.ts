import { resolve } from "node:path";
import { fillTable } from "#harness/fill.ts";
import { run } from "#harness/process.ts";
import type { Backup, Peer } from "./peer.ts";

const binary = "pocketbase";
const superuser = { identity: "operator@example.com", password: "only-for-the-comparison" };
const json = { "content-type": "application/json" };

const backup: Backup = {
  async prepare(place) {
    const words = ["superuser", "upsert", superuser.identity, superuser.password, "--dir", place.data];
    await run({ arguments: [resolve(place.installation, binary), ...words] }, 30);
    const url = `${place.url}/api/collections/_superusers/auth-with-password`;
    const answer = await fetch(url, { method: "POST", headers: json, body: JSON.stringify(superuser) });
    if (!answer.ok) throw new Error(`PocketBase refused its superuser: ${await answer.text()}`);
    const { token } = (await answer.json()) as { token: string };
    return token;
  },
  async create(place, token) {
    const headers = { ...json, authorization: token };
    const name = `backup_${Date.now()}.zip`;
    const body = JSON.stringify({ name });
    const answer = await fetch(`${place.url}/api/backups`, { method: "POST", headers, body });
    if (!answer.ok) throw new Error(`PocketBase made no backup: ${await answer.text()}`);
    return resolve(place.data, "backups", name);
  },
  async open(file) {
    const folder = `${file}.restored`;
    await run({ arguments: ["unzip", "-q", file, "data.db*", "-d", folder] }, 120);
    return resolve(folder, "data.db");
  },
};

export const pocketbase: Peer = {
  name: "pocketbase",
  title: "PocketBase",
  engine: "SQLite",
  settings:
    "built by its Go module; WAL as it comes, `synchronous=FULL` in place of its `NORMAL` (through `DBConnect`), its request log and rate limits off, the plant's id as the record's id, the rules to create and list `@request.auth.id != \"\"`, a user's static token",
  source: "pocketbase",
  runtime: "go",
  install: [["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "."]],
  installed: [binary],
  async version(installation) {
    const list = ["go", "list", "-m", "-f", "{{.Version}}", "github.com/pocketbase/pocketbase"];
    return (await run({ arguments: list, folder: installation }, 60)).trim().replace(/^v/, "");
  },
  serve: (place) => ({
    arguments: [
      resolve(place.installation, binary),
      ...["serve", "--http", `127.0.0.1:${place.port}`, "--dir", place.data],
    ],
    environment: { TOKEN_FILE: resolve(place.data, "token") },
  }),
  ready: "/api/health",
  async open(place) {
    return {
      path: "/api/collections/plants/records",
      token: await Bun.file(resolve(place.data, "token")).text(),
    };
  },
  body: ({ id, name, tag }) => `{"id":${id},"name":"${name}","tag":"${tag}"}`,
  read: (_, answer) => `/api/collections/plants/records/${JSON.parse(answer).id}`,
  idColumn: "id",
  search: {
    path: (part) =>
      `/api/collections/plants/records?${new URLSearchParams({ filter: `name ~ '${part}'`, perPage: "100", skipTotal: "1" })}`,
    plants: ({ items = [] }) => items,
    fill: async (place) => fillTable(place, "INSERT INTO plants (id, name, tag) VALUES (?, ?, ?)"),
  },
  backup,
};
