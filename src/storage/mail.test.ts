import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import type { Mail } from "#core/mail.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { TEST_SOURCE, testCaller } from "#test/support/audit.ts";
import { addMember } from "#test/support/members.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords, verifyAddress } from "#test/support/test-records.ts";
import { AuditLog } from "./audit.ts";
import { required } from "./database-access.ts";
import { drillSince, endDrill, markDrill } from "./drill.ts";
import { MailRows } from "./mail.ts";

const lost = (to: string): Mail => ({ kind: "recover-password", to });

describeRecords("the queue of mail, on %s", (testRecords) => {
  const mail = new MailRows(testRecords.storage);
  beforeEach(() => testRecords.storage.db.deleteFrom("mail_queue").execute());
  async function verifiedHolder(): Promise<Holder> {
    const holder = await testRecords.holder();
    await verifyAddress(testRecords.storage, holder);
    return holder;
  }

  async function queued(): Promise<Mail[]> {
    const rows = await testRecords.storage.db.selectFrom("mail_queue").select("mail").orderBy("id").execute();
    return rows.map((row) => JSON.parse(row.mail));
  }

  test("the end of a drill takes the mail that was waiting, and nothing of any other database", async () => {
    const { storage } = testRecords;
    await mail.put(lost("a@example.test"));
    expect([await endDrill(storage), await queued()]).toEqual([false, [lost("a@example.test")]]);
    await markDrill(storage.db);
    expect([await endDrill(storage), await queued()]).toEqual([true, []]);
    expect(await drillSince(storage.db)).toBeUndefined();
  });

  test("the oldest that is due is taken, and is not due again before the time that was set", async () => {
    await mail.put(lost("a@example.test"));
    await testRecords.storage.db.updateTable("mail_queue").set({ next_at: 1 }).execute();
    await mail.put(lost("b@example.test"));
    const now = Date.now() + 1;
    const first = await mail.takeDue(now, now + 1000);
    expect(first).toMatchObject({ mail: lost("a@example.test"), attempts: 0 });
    expect(await mail.takeDue(now, now + 1000)).toMatchObject({ mail: lost("b@example.test") });
    expect(await mail.takeDue(now + 999, now + 2000)).toBeUndefined();
    const again = await mail.takeDue(now + 1000, now + 2000);
    expect([again?.id, again?.attempts]).toEqual([first?.id, 0]);
  });

  test("what was put off by a clock that was far ahead is due", async () => {
    await mail.put(lost("a@example.test"));
    const now = Date.now();
    await testRecords.storage.db
      .updateTable("mail_queue")
      .set({ next_at: now + 30 * DAY_MS })
      .execute();
    expect(await mail.takeDue(now, now + HOUR_MS)).toMatchObject({ mail: lost("a@example.test") });
    expect(await mail.takeDue(now, now + HOUR_MS)).toBeUndefined();
  });

  test("the sender is told of a message once it is in the queue, and a notice is queued with its act or not at all", async () => {
    const inQueueWhenTold: Promise<number>[] = [];
    const told = new MailRows(testRecords.storage);
    told.onQueued = () => inQueueWhenTold.push(queued().then(({ length }) => length));
    await told.put(lost("a@example.test"));
    expect(await Promise.all(inQueueWhenTold)).toEqual([1]);
    const audit = new AuditLog(testRecords.storage, NO_OBSERVER, told);
    const { id } = await verifiedHolder();
    await audit.add({ ...TEST_SOURCE, ofPerson: id, action: "second_factor.enabled" });
    await audit.add({ ...TEST_SOURCE, ofPerson: id, action: "session.ended" });
    expect(await Promise.all(inQueueWhenTold)).toEqual([1, 2]);
    const act = testRecords.storage.db.updateTable("people").set({ name: "x" }).where("id", "=", id);
    const none = required(act.where("name", "=", "x"), () => new Error("changed meanwhile"));
    const entry = { ...TEST_SOURCE, ofPerson: id, action: "password.changed" } as const;
    await expect(audit.runAudited([none], [entry])).rejects.toThrow("changed meanwhile");
    expect([inQueueWhenTold.length, (await queued()).length]).toEqual([2, 2]);
    await audit.runAudited([act], [entry, { ...entry, action: "session.ended" }]);
    expect((await queued()).slice(2)).toMatchObject([
      { kind: "notice", person: id, notice: { about: "password-changed" } },
    ]);
  });

  test("what is done in a store is told to each owner whose address is verified, once, and to nobody else", async () => {
    const told = new MailRows(testRecords.storage);
    const audit = new AuditLog(testRecords.storage, NO_OBSERVER, told);
    const first = await addMember(testRecords.storage);
    const { account } = first.caller;
    const others = [];
    for (const role of ["owner", "owner", "developer"] as const) {
      others.push(await addMember(testRecords.storage, account, role));
    }
    const [second, , developer] = others;
    for (const { person } of [first, ...others.slice(0, 1), ...others.slice(2)]) {
      await verifyAddress(testRecords.storage, person);
    }
    await audit.add({
      ...TEST_SOURCE,
      account,
      action: "webhook.disabled",
      target: "we_1",
      detail: { reason: "failing" },
    });
    const recipients = async () => {
      const rows = await testRecords.storage.db.selectFrom("mail_queue").selectAll().execute();
      return rows.map(({ recipient, mail: text }) => [recipient, JSON.parse(text).person, JSON.parse(text).store]);
    };
    const owners = [first, second].map((member) => [member?.person.email, member?.person.id, account]);
    expect((await recipients()).toSorted()).toEqual(owners.toSorted() as never);
    await testRecords.storage.db.deleteFrom("mail_queue").execute();
    // A store whose first person is no owner any more.
    await testRecords.records.members.changeRole(first.caller, first.person.id, "viewer");
    await audit.add({ ...TEST_SOURCE, account, action: "member.removed", target: developer?.person.id, detail: {} });
    await audit.add({
      ...TEST_SOURCE,
      account,
      action: "webhook.disabled",
      target: "we_1",
      detail: { reason: "failing" },
    });
    expect((await recipients()).map(([recipient]) => recipient).toSorted()).toEqual(
      [developer?.person.email, second?.person.email].toSorted() as never,
    );
  });

  test("a message that was sent is gone, and one that failed comes again at its time with its attempts counted", async () => {
    await mail.put(lost("a@example.test"));
    const now = Date.now() + 1;
    const { id = "" } = (await mail.takeDue(now, now + 5000)) ?? {};
    await mail.allow({ id, kind: "recover-password", person: "a", to: "a@example.test" }, now);
    await mail.tryAgain(id, now + 50);
    expect(await mail.takeDue(now + 49, now + 100)).toBeUndefined();
    expect(await mail.takeDue(now + 50, now + 100)).toMatchObject({ id, attempts: 1 });
    await mail.remove(id);
    expect(await mail.takeDue(now + DAY_MS, now + DAY_MS)).toBeUndefined();
  });

  test("each message is taken by one of the nodes that come for it at once", async () => {
    const node = await testRecords.another();
    const both = [mail, new MailRows(node)];
    for (let count = 0; count < 6; count++) await mail.put(lost(`${count}@example.test`));
    const now = Date.now() + 1;
    const taken: string[] = [];
    for (let round = 0; round < 12; round++) {
      const found = await Promise.all(both.map((each) => each.takeDue(now, now + HOUR_MS)));
      for (const message of found) if (message) taken.push(message.id);
    }
    expect(taken).toHaveLength(6);
    expect(new Set(taken).size).toBe(6);
    await node.records.close();
  });

  test("an address is sent no more in an hour than one account may cause, whichever accounts cause it", async () => {
    const now = Date.now();
    const allow = (person: string, to: string, at = now) => mail.allow({ id: "", kind: "notice", person, to }, at);
    for (let count = 0; count < 17; count++) expect(await allow(`1000${count % 2}`, "many@example.test")).toBe(true);
    expect(await allow("10002", "many@example.test")).toBe(false);
    expect(await allow("10000", "other@example.test")).toBe(true);
    expect(await allow("10000", "many@example.test", now + HOUR_MS)).toBe(true);
    const keys = await testRecords.storage.db.selectFrom("attempts").select("key").execute();
    expect(JSON.stringify(keys)).not.toContain("many@example.test");
  });

  describe("tokens that expire within a week", () => {
    async function token(account: number, name: string, expiresInMs: number, madeAgoMs = 60 * DAY_MS): Promise<string> {
      const now = Date.now();
      const fields = { name, scopes: ["plants:read"], expiresAt: now + expiresInMs } as const;
      const { id } = await testRecords.records.tokens.add(testCaller(account), fields, crypto.randomUUID());
      const made = { created_at: now - madeAgoMs };
      await testRecords.storage.db.updateTable("tokens").set(made).where("id", "=", id).execute();
      return id;
    }

    test("are told of once, all those of an account in one message, at an address that is verified", async () => {
      const [holder, other] = [await verifiedHolder(), await verifiedHolder()];
      await token(await testRecords.account(), "of an address that is not verified", DAY_MS);
      await token(holder.account, "Till", 6 * DAY_MS);
      await token(holder.account, "Sync", DAY_MS);
      await token(other.account, "Desk", 2 * DAY_MS);
      await mail.noticeExpiringTokens(Date.now());
      await mail.noticeExpiringTokens(Date.now());
      const told = (await queued()).map((each) => (each.kind === "notice" ? [each.person, each.notice.what] : []));
      expect(told).toHaveLength(2);
      expect(told).toContainEqual([holder.id, expect.stringMatching(/^(?:Till, Sync|Sync, Till)$/)]);
      expect(told).toContainEqual([other.id, "Desk"]);
    });

    test("are told of by a part of the secret where the name might be a link", async () => {
      const { account } = await verifiedHolder();
      await token(account, "win at evil.example/now", DAY_MS);
      await mail.noticeExpiringTokens(Date.now());
      const [notice] = await queued();
      expect(JSON.stringify(notice)).not.toContain("evil");
      expect(notice).toMatchObject({ notice: { what: expect.stringContaining("…") } });
    });

    test("are not told of when they end later, were made for less than a fortnight, are revoked or are over", async () => {
      const { account } = await verifiedHolder();
      await token(account, "later", 8 * DAY_MS);
      await token(account, "short", 6 * DAY_MS, 7 * DAY_MS);
      await token(account, "over", -1);
      const revoked = await token(account, "revoked", DAY_MS);
      await testRecords.records.tokens.revoke(testCaller(account), revoked);
      await mail.noticeExpiringTokens(Date.now());
      expect(await queued()).toEqual([]);
    });
  });
});
