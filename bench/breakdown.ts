import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { readNewPlant } from "#contract/v1/new-plant.ts";
import { plantBody } from "#contract/v1/plant.ts";
import { operatorSource } from "#core/audit.ts";
import type { NewPlant } from "#core/plant.ts";
import { newSecret } from "#core/token.ts";
import { postAnswer } from "#http/answer.ts";
import { authenticate } from "#http/bearer.ts";
import { newRequestId } from "#http/request-id.ts";
import { TokenCache } from "#http/token-cache.ts";
import { openStorage } from "#storage/open.ts";
import { secretHash } from "#storage/tokens.ts";
import { contextWith } from "#test/support/request-context.ts";
import { report } from "./report.ts";

/**
 * Measures the processor time of a create by stage, each in a loop of its own: `bun bench/breakdown.ts`. Figures are
 * microseconds of processor time, which a busy machine disturbs little. Waiting for fsync is not included.
 */
const ROUNDS = 100_000;
const BATCH = 256;

const folder = mkdtempSync(join(tmpdir(), "plantstore-breakdown-"));
const { store, db } = await openStorage(`sqlite:${join(folder, "plantstore.db")}`);
const account = await newAccount();
const secret = newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
await store.tokens.add(
  account,
  { name: "bench", scopes: ["plants:write"], expiresAt: undefined },
  secret,
  operatorSource("bench"),
);
const tokens = new TokenCache(store, secretHash);
const context = contextWith({ tokens }, { Authorization: `Bearer ${secret}` });
const body = '{"id":9007199254740,"name":"Monstera deliciosa","tag":"indoor"}';
const bytes = new TextEncoder().encode(body);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const plant = readNewPlant(body);
await authenticate(context, "plants:write", Date.now());

const stages: [string, number][] = [
  ["token (known, fresh)", await microseconds(() => authenticate(context, "plants:write", Date.now()))],
  ["UTF-8, strict", await microseconds(() => utf8.decode(bytes))],
  ["parse and check", await microseconds(() => readNewPlant(body))],
  ["request id", await microseconds(newRequestId)],
  ["answer's body", await microseconds(() => plantBody(plant))],
  ["answer", await microseconds(() => postAnswer("{}", context))],
  [`queue and transaction, ${BATCH} at once`, await creates()],
];
await store.close();
await report(
  "breakdown",
  [`${cpus()[0]?.model}, Bun ${Bun.version}`, "each stage alone in a loop, processor time of the whole process"],
  stages.map(([name, value]) => ({ name: `${name}, µs`, value })),
);
rmSync(folder, { recursive: true });

async function microseconds(stage: () => unknown): Promise<number> {
  for (let round = 0; round < ROUNDS / 10; round++) stage();
  const start = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) stage();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / ROUNDS;
}

async function creates(): Promise<number> {
  const start = process.cpuUsage();
  let id = 0n;
  for (let round = 0; round < ROUNDS / BATCH; round++) {
    const batch: NewPlant[] = Array.from({ length: BATCH }, () => ({ ...plant, id: id++ }));
    await Promise.all(batch.map((each) => store.plants.create(account, each)));
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / ROUNDS;
}

async function newAccount(): Promise<number> {
  const now = new Date();
  const row = { id: "bench", name: "bench", email: "bench@example.test", email_verified: 0, image: null };
  await db
    .insertInto("accounts")
    .values({ ...row, created_at: now, updated_at: now })
    .execute();
  return (await store.accounts.findById("bench"))?.number ?? 0;
}
