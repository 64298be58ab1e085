import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HARD_PLANTS } from "./hard-plants.ts";
import { ROOT, temporaryFolder } from "./service.ts";

/** The name of the program, in the folder where the client is installed, that writes and reads every hard plant. */
export const HARD_PLANTS_PROGRAM = "hard-plants.js";

/** A program for Node, Bun and Deno that writes and reads every hard plant. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { PlantstoreClient, PlantstoreError, PlantstoreUnreachable } from "@plantstore/client";

const client = new PlantstoreClient();
const plants = JSON.parse(readFileSync("plants.json", "utf8")).map(({ id, name, tag }) => ({ id: BigInt(id), name, tag }));
const sent = ({ id, name, tag }) => ({ id, name, tag });
const inOrder = plants.toSorted((a, b) => (a.id < b.id ? -1 : 1));

assert.equal((await client.importPlants(plants)).created, plants.length);
for (const plant of plants) assert.equal((await client.create(plant)).replayed, true);
for (const plant of plants) assert.deepEqual(sent(await client.get(plant.id)), plant);
const listed = [];
for await (const plant of client.list({ pageSize: 5 })) listed.push(sent(plant));
assert.deepEqual(listed, inOrder);
const exported = [];
for await (const plant of client.export()) exported.push(sent(plant));
exported.sort((a, b) => (a.id < b.id ? -1 : 1));
assert.deepEqual(exported, inOrder);
const again = await client.importPlants(client.export({ format: "csv" }).readable(), { format: "csv" });
assert.deepEqual([again.created, again.unchanged, again.failed], [0, plants.length, 0]);

const { etag } = await client.get(1);
await client.change(1, { name: "Changed" }, { ifMatch: etag });
await assert.rejects(client.remove(1, { ifMatch: etag }), (e) => e instanceof PlantstoreError && e.error === 41201);
await client.remove(1);

const reason = new Error("left");
await assert.rejects(client.create({ id: 1, name: "x" }, { signal: AbortSignal.abort(reason) }), reason);
const nowhere = new PlantstoreClient({ url: "http://127.0.0.1:9", token: "plant_x", retriesMax: 0 });
await assert.rejects(nowhere.get(1), (e) => e instanceof PlantstoreUnreachable && e.reason === "network");
console.log("exact on", process.release.name, process.versions.node.split(".")[0]);
`;

/** Builds the client's archive and installs it, with the program, into a folder that has nothing else of this project. */
export function installClient(folder: string): void {
  const built = temporaryFolder();
  run(ROOT, process.execPath, "scripts/client-package.ts", built);
  run(built, "npm", "pack", "--silent", "--pack-destination", folder);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  run(folder, "npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", `./${archive}`);
  writeFileSync(join(folder, "plants.json"), JSON.stringify(HARD_PLANTS));
  writeFileSync(join(folder, HARD_PLANTS_PROGRAM), PROGRAM);
}

function run(cwd: string, ...command: string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} exited with ${exitCode}: ${stdout}${stderr}`);
}
