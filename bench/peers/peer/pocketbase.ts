import { resolve } from "node:path";
import { run } from "#harness/process.ts";
import { type Peer, usual } from "./peer.ts";

const binary = "pocketbase";

export const pocketbase: Peer = {
  ...usual,
  name: "pocketbase",
  title: "PocketBase",
  engine: "SQLite",
  settings:
    "WAL as it comes, `synchronous=FULL` in place of its `NORMAL`; request log and rate limits off; the plant's id as the record's id; a user's static token",
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
  plants: "/api/collections/plants/records",
  token: (place) => Bun.file(resolve(place.data, "token")).text(),
  key: (_, answer) => JSON.parse(answer).id,
  queries: { "list a hundred": "?perPage=100&skipTotal=1", "search a word": "?filter=name~%22{word}%22&skipTotal=1" },
  columns: (name) => ({ id: "CAST(at AS TEXT)", name, tag: "'tree'" }),
};
