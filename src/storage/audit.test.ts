import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AuditAction, AuditEntry, AuditedAct, AuditQuery, AuditRecord } from "#core/audit.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { testCaller } from "#test/support/audit.ts";
import { newPostgresDatabase } from "#test/support/engines.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { AuditLog } from "./audit.ts";
import { auditRetentionJob } from "./audit-retention.ts";
import { required } from "./database-access.ts";
import { addFailedSignIn, FAILED_SIGN_INS } from "./failed-sign-ins.ts";
import { openStorage } from "./open.ts";
import { SessionRows } from "./sign-in/sessions.ts";

const SYSTEM = { actor: { kind: "system", id: "", name: "plantstore" } } as const;
const YEAR_MS = 365 * 86_400_000;

describeRecords("the audit log, on %s", (testRecords) => {
  let audited: AuditRecord[];
  let audit: AuditLog;
  beforeEach(() => {
    audited = [];
    const observer = { ...NO_OBSERVER, audited: (record: AuditRecord) => void audited.push(record) };
    audit = new AuditLog(testRecords.storage, observer, undefined);
  });

  const failed: AuditedAct = { ...SYSTEM, action: "sign_in.failed" };

  function entry(account: number, action: AuditAction = "token.created", more: Partial<AuditedAct> = {}): AuditEntry {
    return { ...SYSTEM, account, action, ...more };
  }

  const list = async (account: number | string, query: Partial<AuditQuery> = {}) =>
    (await testRecords.reads.audit.list(account, { limit: 300, ...query })).found;

  async function pages(account: number, query: AuditQuery): Promise<AuditRecord[]> {
    const found: AuditRecord[] = [];
    for (;;) {
      const page = await list(account, { ...query, before: found.at(-1)?.id });
      found.push(...page);
      if (page.length < query.limit) return found;
    }
  }

  test("an entry is given back with everything that it says, and the observer is told of it once it is kept", async () => {
    const account = await testRecords.account();
    const actor = { kind: "session", id: "ses_1", name: "owner@example.test" } as const;
    const origin = { address: "2001:db8::7", device: "Firefox on Linux", requestId: "req_1" };
    const given = entry(account, "webhook.changed", {
      actor,
      ...origin,
      target: "we_1",
      detail: { url: "ü", count: 3 },
    });
    await audit.add(given);
    const [kept] = await list(account);
    expect(kept).toMatchObject({ ...given });
    expect(audited).toEqual(kept ? [kept] : []);
  });

  test("pages of any size give every entry once, the newest first, and those of one account alone", async () => {
    const [account, other] = [await testRecords.account(), await testRecords.account()];
    const entries = Array.from({ length: 23 }, (_, at) => entry(account, "token.renamed", { target: `tok_${at}` }));
    for (const each of entries) await audit.runAudited([], [each, entry(other)]);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const targets = (await pages(account, { limit })).map(({ target }) => target);
        expect(targets).toEqual(entries.map(({ target }) => target).toReversed());
      }),
      { numRuns: 8 },
    );
  });

  test("an action, or the first part of several, filters; a part of a word does not", async () => {
    const account = await testRecords.account();
    const actions = ["token.created", "token.revoked", "session.ended", "sign_in.failed"] as const;
    await audit.runAudited(
      [],
      actions.map((action) => entry(account, action)),
    );
    const found = async (action: string) =>
      (await testRecords.reads.audit.list(account, { action, limit: 10 })).found.map((each) => each.action);
    expect((await found("token")).sort()).toEqual(["token.created", "token.revoked"]);
    expect(await found("token.revoked")).toEqual(["token.revoked"]);
    expect(await found("sign_in")).toEqual(["sign_in.failed"]);
    for (const action of ["tok", "token.", "TOKEN", "%", "_", ""]) expect(await found(action)).toEqual([]);
  });

  test("a time filters to the millisecond", async () => {
    const account = await testRecords.account();
    await audit.add(entry(account));
    const [kept] = await list(account);
    const at = kept?.at ?? 0;
    expect((await testRecords.reads.audit.list(account, { from: at, limit: 10 })).found).toHaveLength(1);
    expect((await testRecords.reads.audit.list(account, { from: at + 1, limit: 10 })).found).toEqual([]);
  });

  test("the observer is not told of an act that was undone", async () => {
    const account = await testRecords.account();
    const name = testRecords.storage.db.updateTable("stores").set({ name: "x" });
    const none = required(name.where("number", "=", -1), () => new Error("refused"));
    await expect(audit.runAudited([name.where("number", "=", account), none], [entry(account)])).rejects.toThrow(
      "refused",
    );
    expect([audited, await list(account)]).toEqual([[], []]);
  });

  test("failed sign-ins past the limit of an hour are one entry with their count when the next one comes after it", async () => {
    const ended = { ends_at: Date.now() - 1 };
    await addFailedSignIn(testRecords.storage, (await testRecords.holder()).id, failed);
    await testRecords.storage.db.updateTable("failed_sign_ins").set(ended).execute();
    const { id } = await testRecords.holder();
    for (let count = 0; count < FAILED_SIGN_INS.max + 5; count++)
      expect(await addFailedSignIn(testRecords.storage, id, failed)).toBe(count < FAILED_SIGN_INS.max);
    expect(await list(id)).toHaveLength(FAILED_SIGN_INS.max);
    await testRecords.storage.db.updateTable("failed_sign_ins").set(ended).where("person", "=", id).execute();
    await addFailedSignIn(testRecords.storage, id, failed);
    const [newest, summed] = await list(id);
    expect([newest?.detail, summed?.detail]).toEqual([undefined, { count: 5 }]);
    const window = testRecords.storage.db.selectFrom("failed_sign_ins").selectAll().where("person", "=", id);
    const row = await window.executeTakeFirst();
    expect(Number(row?.count)).toBe(1);
    expect(Number(row?.ends_at)).toBeGreaterThan(Date.now() + FAILED_SIGN_INS.windowSeconds * 1000 - 60_000);
  });

  test("failed sign-ins that were counted by a clock that was far ahead end their hour, and the next one is entered", async () => {
    const { id } = await testRecords.holder();
    for (let count = 0; count < FAILED_SIGN_INS.max + 3; count++)
      await addFailedSignIn(testRecords.storage, id, failed);
    const ahead = { ends_at: Date.now() + YEAR_MS };
    await testRecords.storage.db.updateTable("failed_sign_ins").set(ahead).where("person", "=", id).execute();
    await addFailedSignIn(testRecords.storage, id, failed);
    const [newest, summed] = await list(id);
    expect([newest?.detail, summed?.detail]).toEqual([undefined, { count: 3 }]);
  });

  test("an hour with no more failed sign-ins than are entered ends without an entry, also on two nodes at once", async () => {
    const { id } = await testRecords.holder();
    const node = await testRecords.another();
    for (let count = 0; count < FAILED_SIGN_INS.max; count++) await addFailedSignIn(testRecords.storage, id, failed);
    const after = Date.now() + FAILED_SIGN_INS.windowSeconds * 1000 + 1000;
    const run = { now: after, signal: new AbortController().signal };
    await Promise.all([testRecords.storage, node].map((each) => auditRetentionJob(each, YEAR_MS).run(run)));
    expect(await list(id)).toHaveLength(FAILED_SIGN_INS.max);
    await node.records.close();
  });

  test("old entries are purged in slices until none is left, and the job asks for its next run meanwhile", async () => {
    const account = await testRecords.account();
    const some = Array.from({ length: 520 }, () => entry(account));
    await audit.runAudited([], some);
    const job = auditRetentionJob(testRecords.storage, 1000);
    const run = { now: Date.now() + 60_000, signal: new AbortController().signal };
    expect(await job.run(run)).toBe(0);
    expect(await job.run(run)).toBeUndefined();
    expect(await list(account)).toEqual([]);
  });

  describe("an act of the holder", () => {
    async function act(action: AuditAction, more: Partial<AuditedAct> = {}, { account } = holder) {
      const { id } = holder;
      const name = testRecords.storage.db.updateTable("people").set({ name: crypto.randomUUID() }).where("id", "=", id);
      const actor = { kind: "session", id: session, name: "" } as const;
      await audit.runAudited([name], [entry(account, action, { actor, person: id, ...more })]);
    }

    let holder: Holder;
    let session: string;
    beforeEach(async () => {
      holder = await testRecords.holder();
      const sessions = new SessionRows(testRecords.storage);
      const row = { epoch: 0, userAgent: "", address: "", expiresAt: Date.now() + YEAR_MS, remembered: true };
      session = crypto.randomUUID();
      const signedIn = { ...SYSTEM, ofPerson: holder.id, action: "sign_in.succeeded" } as const;
      await sessions.add({ ...row, id: session, secret: session, person: holder }, signedIn);
    });

    /** As if what was done once had been done so often in this hour. */
    const doneTimes = (count: number) => testRecords.storage.db.updateTable("attempts").set({ count }).execute();

    test("is done 120 times in an hour and not again, and others go on", async () => {
      await act("token.renamed");
      await doneTimes(119);
      await act("token.renamed");
      const { name } = (await testRecords.records.people.find({ id: holder.id })) ?? {};
      await expect(act("token.renamed")).rejects.toMatchObject({
        code: "rate-limited",
        message: expect.stringContaining("token.renamed"),
        detail: { headers: { "RateLimit-Policy": '"token.renamed";q=120;w=3600' } },
      });
      expect((await testRecords.records.people.find({ id: holder.id }))?.name).toBe(name as string);
      await act("token.created");
      await act("token.renamed", { actor: { kind: "operator", id: "", name: "root" } });
      const other = await testRecords.holder();
      await act("token.renamed", { person: other.id }, other);
      expect(await list(holder.account, { action: "token.renamed" })).toHaveLength(3);
    });

    test("that takes access away is done however often it was done before", async () => {
      await act("token.revoked");
      await doneTimes(120);
      await act("token.revoked");
    });

    test("with many entries of a kind counts once, and one that is undone not at all", async () => {
      const actor = { kind: "session", id: session, name: "" } as const;
      const many = Array.from({ length: 130 }, () =>
        entry(holder.account, "token.rolled", { actor, person: holder.id }),
      );
      const renaming = testRecords.storage.db.updateTable("people").set({ name: "x" });
      const rolled = (id: string) => audit.runAuditedIfChanged(renaming.where("id", "=", id), many);
      expect(await rolled(holder.id)).toBe(true);
      await doneTimes(118);
      expect([await rolled("nobody"), await rolled(holder.id), await rolled(holder.id)]).toEqual([false, true, true]);
      await expect(rolled(holder.id)).rejects.toMatchObject({ code: "rate-limited" });
      expect(await list(holder.account, { action: "token.rolled", limit: 500 })).toHaveLength(390);
    });

    test("is not done once its session has ended, or its token", async () => {
      const { tokens } = testRecords.records;
      const given = { name: "Till", scopes: ["webhooks:manage"], expiresAt: undefined } as const;
      const { id } = await tokens.add(testCaller(holder.account), given, crypto.randomUUID());
      const actor = { kind: "token", id, name: "Till" } as const;
      await act("webhook.created", { actor });
      await tokens.revoke(testCaller(holder.account), id);
      await expect(act("webhook.created", { actor })).rejects.toMatchObject({ code: "token-refused" });
      await new SessionRows(testRecords.storage).end(holder, session, []);
      await expect(act("export.made")).rejects.toMatchObject({ code: "session-missing" });
      const entries = await list(holder.account);
      expect(entries.map(({ action }) => action)).toEqual(["token.revoked", "webhook.created", "token.created"]);
    });
  });
});

test("a filter by the first part of an action finds the same where text sorts by a language's rules", async () => {
  const ignoringPunctuation = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-u-ka-shifted'";
  const storage = await openStorage(await newPostgresDatabase(ignoringPunctuation));
  for (const action of ["token.created", "token.revoked", "session.ended"] as const) {
    await storage.audit.add({ ...SYSTEM, account: 1, action });
  }
  const { found } = await storage.reads.audit.list(1, { action: "token", limit: 10 });
  expect(found.map(({ action }) => action)).toEqual(["token.revoked", "token.created"]);
  await storage.records.close();
});
