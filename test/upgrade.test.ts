import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { startService, temporaryFolder } from "./support/service.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";

const FIXTURES = join(import.meta.dir, "fixtures");
/** The token that each fixture holds: it opens nothing else. */
const TOKENS: Readonly<Record<string, string>> = { "1.0.0": "plant_IJuZipIJ0Wj712pVjdpYcqus5exTaG1pYf7Y" };
const versions = readdirSync(FIXTURES).flatMap((file) => /^plantstore-(.+)\.db\.zst$/.exec(file)?.[1] ?? []);

async function fixture(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(zstdDecompressSync(await Bun.file(join(FIXTURES, name)).bytes()));
}

test.each(versions)("the database that %s made is served with all that it holds", async (version) => {
  const folder = temporaryFolder();
  await Bun.write(join(folder, "plantstore.db"), await fixture(`plantstore-${version}.db.zst`));
  const service = await startService({ engine: "sqlite", folder });
  const ask = (method: string, path: string, body?: string) =>
    service.send(method, `/v1/plants${path}`, { as: TOKENS[version], body });

  const exported = new TextDecoder().decode(await fixture(`plantstore-${version}.ndjson.zst`));
  expect(await (await ask("GET", "/export")).text()).toBe(exported);
  expect((await ask("GET", "/7")).headers.get("ETag")).toBe('"8.2"');
  expect((await ask("GET", "/8")).status).toBe(404);
  const again = await ask("POST", "", '{"id":9007199254740993,"name":"Échevéria 🌵"}');
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  const found = await (await ask("GET", "?q=LYRATA")).json();
  expect(found).toMatchObject({ data: [{ id: 7, name: "Ficus lyrata" }] });
  expect((await ask("POST", "", '{"id":-1,"name":"after the upgrade"}')).status).toBe(200);

  const browser = new TestBrowser(service);
  expect((await browser.signIn("grower@example.test", PASSWORD)).status).toBe(200);
  expect(await (await browser.get("/dashboard/api/session")).json()).toMatchObject({ store: { role: "owner" } });
  const people = await (await browser.get("/dashboard/api/people")).json();
  expect(people).toMatchObject({ people: [{ email: "grower@example.test", role: "owner" }], invitations: [] });
  // Everybody is the owner of their own store without a row.
  const database = new Database(join(folder, "plantstore.db"), { readonly: true });
  expect(database.query("SELECT count(*) AS rows FROM members").get()).toEqual({ rows: 0 });
  database.close();
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toContain('"level":"error"');
});
