import { afterAll, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTypes, { astToString } from "openapi-typescript";
import { outcomeOf } from "./support/process.ts";
import { ROOT, startService, temporaryFolder } from "./support/service.ts";

/** openapi-typescript generates types from the running service's document, and openapi-fetch uses them. */
const folder = temporaryFolder();

const service = await startService();
afterAll(() => service.stop());
const token = await service.token();
writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));

async function run(...command: string[]): Promise<string> {
  const env = { PATH: process.env.PATH ?? "", HOME: folder, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
  const child = Bun.spawn(command, { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
  const { out, problem, code } = await outcomeOf(child);
  if (code !== 0) throw new Error(`${command.join(" ")} exited with ${code}: ${out}${problem}`);
  return out;
}

const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./plantstore.d.ts";

const headers = { Authorization: "Bearer " + process.env["PLANTSTORE_TOKEN"] };
const client = createClient<paths>({ baseUrl: process.env["PLANTSTORE_URL"], headers });

const created = await client.POST("/v1/plants", { body: { id: 42, name: "Monstera deliciosa", tag: "indoor" } });
const read = await client.GET("/v1/plants/{id}", { params: { path: { id: 42 } } });
const listed = await client.GET("/v1/plants", { params: { query: { tag: "indoor", limit: 10, order: "id" } } });
const changed = await client.PATCH("/v1/plants/{id}", { params: { path: { id: 42 } }, body: { tag: null } });
const taken = await client.POST("/v1/plants", { body: { id: 42, name: "Ficus" } });
const removed = await client.DELETE("/v1/plants/{id}", { params: { path: { id: 42 } } });

if (!created.data || !listed.data) throw new Error("It was not created or not listed");
const takenNumber: number = taken.error!.error;
const { data, next_cursor } = listed.data;
console.log(JSON.stringify([created.data.name, read.data!.id, data.length, next_cursor, changed.data!.tag ?? null,
  takenNumber, removed.response.status]));
`;

test("a client generated from the published document compiles, and creates, reads, lists, changes and removes", async () => {
  const types = await openapiTypes(new URL(`${service.url}/openapi.json`));
  writeFileSync(join(folder, "plantstore.d.ts"), astToString(types));
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const checked = ["--noEmit", "--strict", "--skipLibCheck", "--types", "bun"];
  const options = [...checked, "--target", "es2022", "--module", "nodenext"];
  const compiler = join(ROOT, "node_modules/typescript-native/bin/tsc");
  await run(compiler, ...options, "--allowImportingTsExtensions", "program.ts");
  const printed = JSON.parse(await run(process.execPath, "program.ts"));
  expect(printed).toEqual(["Monstera deliciosa", 42, 1, null, null, 40901, 204]);
});
