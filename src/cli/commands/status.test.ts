import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { RELEASE } from "#server/process/release.ts";
import { noteOutcome } from "#storage/outcomes.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { ENGINES, newMigratedDatabase } from "#test/support/engines.ts";
import { runInProcess } from "#test/support/run-in-process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { addAccount, onDatabase } from "#test/support/test-account.ts";
import { newEndpoint, SEALED_SECRET } from "#test/support/webhook-progress.ts";

/** Nothing listens there. */
const PORT = "1";
const FAILING_SINCE = Date.UTC(2026, 2, 10);

/** One endpoint that works, one that fails, and one that its owner has turned off. */
async function addEndpoints(storage: Storage, account: number): Promise<void> {
  const endpoints = new WebhookEndpoints(storage);
  const states = [{}, { status: "paused", reason: "failing" }, { status: "disabled", reason: "by_hand" }] as const;
  for (const [index, state] of states.entries()) {
    const id = `we_${index}`;
    await endpoints.add(newEndpoint(account, { id, url: `https://example.test/${index}` }), SEALED_SECRET, TEST_SOURCE);
    await endpoints.change(testCaller(account), id, state);
  }
  const failing = storage.db
    .updateTable("webhook_endpoints")
    .set({ failing_since: FAILING_SINCE })
    .where("id", "=", "we_1");
  await storage.atomically([failing.compile()]);
}

describe.each(ENGINES)("`status`, on %s,", (engine) => {
  test("tells the version, the server, the database, its plants and the endpoints that fail, and no password", async () => {
    const DATABASE_URL = await newMigratedDatabase(engine, temporaryFolder());
    const store = await onDatabase({ DATABASE_URL }, async (storage) => {
      const { account: number, storeId } = await addAccount(storage, "grower@example.test");
      await storage.records.plants.createMany(number, [{ id: 1n, name: "Fern", tag: undefined }]);
      await addEndpoints(storage, number);
      return storeId;
    });
    const settings = { DATABASE_URL, PORT };
    const { code, out } = await runInProcess(["status", "--json"], settings);
    expect(code).toBe(1);
    const status = JSON.parse(out);
    expect(status).toMatchObject({
      version: RELEASE,
      server: {
        ready: false,
        url: "http://127.0.0.1:1/readyz",
        reason: "no server listens there",
        same_database: null,
      },
      database: engine === "sqlite" ? { address: DATABASE_URL, disk_free_bytes: expect.any(Number) } : {},
      accounts: 1,
      plants: 1,
      mail: null,
      backups: null,
      problems: [],
    });
    expect(status.failing_endpoints).toEqual([
      {
        id: "we_1",
        account: store,
        url: "https://example.test/1",
        status: "paused",
        failing_since: "2026-03-10T00:00:00.000Z",
      },
    ]);
    expect(status.database.address).not.toContain("@");
    const { out: text } = await runInProcess(["status"], settings);
    expect(text).toMatch(/^plants {4}1 plant of 1 account$/m);
    const failing = `we_1 of ${store}, https://example.test/1: paused since 2026-03-10T00:00:00.000Z`;
    expect(text).toContain(`\nfailing   ${failing}\n`);
  });
});

test("`status` names what cannot be read", async () => {
  const DATABASE_URL = await newMigratedDatabase("sqlite", temporaryFolder());
  await onDatabase({ DATABASE_URL }, async () => {});
  const settings = { DATABASE_URL, BACKUP_TO: join(temporaryFolder(), "nowhere"), PORT };
  const { out, problem } = await runInProcess(["status"], settings);
  expect(out).toContain("is not ready");
  expect(problem).toContain("backups: There is no folder");
});

test("`status` names the database of a socket, which has a user and no host", async () => {
  const DATABASE_URL = "postgres://plants:hunter2@/plants?host=/none";
  const { out } = await runInProcess(["status", "--json"], { DATABASE_URL, PORT });
  expect(JSON.parse(out).database.address).toBe("postgres:///plants");
});

test("`status` tells when mail was last sent and last failed, where the backups are, and when one last failed", async () => {
  const DATABASE_URL = await newMigratedDatabase("sqlite", temporaryFolder());
  await onDatabase({ DATABASE_URL }, async ({ mail, db }) => {
    await noteOutcome(db, "backup", FAILING_SINCE - 1000);
    await noteOutcome(db, "backup", FAILING_SINCE, "BACKUP_TO /b is full");
    await mail.noteOutcome(FAILING_SINCE, "535 not you");
    await mail.noteOutcome(FAILING_SINCE + 1000);
    await mail.noteOutcome(FAILING_SINCE + 2000);
  });
  const BACKUP_TO = temporaryFolder();
  const settings = { DATABASE_URL, SMTP_URL: "smtp://127.0.0.1:1", BASE_URL: "http://127.0.0.1:1", BACKUP_TO, PORT };
  const status = JSON.parse((await runInProcess(["status", "--json"], settings)).out);
  expect(status.mail).toEqual({
    last_sent_at: "2026-03-10T00:00:02.000Z",
    last_failed_at: "2026-03-10T00:00:00.000Z",
    error: "535 not you",
  });
  const failure = { last_failed_at: "2026-03-10T00:00:00.000Z", error: "BACKUP_TO /b is full" };
  expect(status.backups).toEqual({ to: BACKUP_TO, count: 0, newest: null, ...failure });
  const { out } = await runInProcess(["status"], settings);
  expect(out).toContain("last failed at 2026-03-10T00:00:00.000Z: 535 not you");
  expect(out).toContain(`none yet, to ${BACKUP_TO}, last failed at 2026-03-10T00:00:00.000Z: BACKUP_TO /b is full\n`);
  const gone = await runInProcess(["status"], { ...settings, BACKUP_TO: join(BACKUP_TO, "gone") });
  expect(gone.out).toContain("gone cannot be read, the newest of 2026-03-09T23:59:59.000Z, last failed at 2026-03-10");
});
