import { expect, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { signInRefused } from "#core/session.ts";
import { auditedActions, TEST_SOURCE } from "#test/support/audit.ts";
import type { Holder } from "#test/support/test-account.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { Credentials } from "./credentials.ts";
import { expiredRowsJob } from "./expired-rows.ts";
import { MailLinks } from "./mail-links.ts";
import { type NewSession, SessionRows } from "./sessions.ts";
import { TrustedDevices } from "./trusted-devices.ts";

describeRecords("sessions, on %s", (testRecords) => {
  const sessions = new SessionRows(testRecords.storage);

  const entryOf = ({ id }: Holder) => ({ ...TEST_SOURCE, ofPerson: id, action: "sign_in.succeeded" }) as const;

  async function add(person: Holder, more: Partial<NewSession> = {}): Promise<string> {
    const session = {
      id: crypto.randomUUID(),
      secret: crypto.randomUUID(),
      person,
      epoch: 0,
      userAgent: "Firefox",
      address: "192.0.2.7",
      expiresAt: Date.now() + HOUR_MS,
      remembered: true,
      ...more,
    };
    await sessions.add(session, entryOf(person));
    return session.id;
  }

  const actions = ({ id }: Holder) => auditedActions(testRecords, id);

  test("a session is found by its secret alone, as it was made, with its person and their stores", async () => {
    const person = await testRecords.holder();
    const expiresAt = Date.now() + HOUR_MS;
    const id = await add(person, { secret: "its secret", expiresAt, remembered: false });
    const found = await sessions.find("its secret");
    const { account, storeId, ...kept } = person;
    expect(found?.person).toEqual(kept);
    expect(found?.stores).toMatchObject([{ account, id: storeId, role: "owner", isTest: false }]);
    const seen = { userAgent: "Firefox", address: "192.0.2.7", remembered: false, expiresAt };
    expect(found?.session).toMatchObject({ id, ...seen, proof: { kind: "sign-in" } });
    expect([found?.hasPassword, found?.hasSecondFactor]).toEqual([false, false]);
    for (const secret of [id, "", "another"]) expect(await sessions.find(secret)).toBeUndefined();
    expect(await actions(person)).toEqual(["sign_in.succeeded"]);
  });

  test("a session has its person's stores in the order of joining, and none of who belongs to none", async () => {
    const [person, first, last] = [await testRecords.holder(), await testRecords.holder(), await testRecords.holder()];
    await add(person, { secret: "of several" });
    for (const [store, joined_at] of [
      [last, Date.now() + 1000],
      [first, 0],
    ] as const) {
      const row = { store: store.account, person: person.id, role: "viewer", source: "hand", joined_at } as const;
      await testRecords.storage.db.insertInto("members").values(row).execute();
    }
    const found = async () => (await sessions.find("of several"))?.stores.map(({ id }) => id);
    expect(await found()).toEqual([first.storeId, person.storeId, last.storeId]);
    await testRecords.storage.db.deleteFrom("members").where("person", "=", person.id).execute();
    expect(await found()).toEqual([]);
  });

  test("whoever reads the database learns no secret of a session", async () => {
    await add(await testRecords.holder(), { secret: "unread" });
    const rows = await testRecords.storage.db.selectFrom("sessions").selectAll().execute();
    const texts = rows.flatMap((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
      ),
    );
    for (const text of texts) {
      expect(text).not.toContain("unread");
      expect(await sessions.find(text)).toBeUndefined();
    }
  });

  test("a session goes on by its new secret alone once it is renewed", async () => {
    const person = await testRecords.holder();
    const id = await add(person, { secret: "before" });
    const renewed = { id, newId: "renewed", newSecret: "after" };
    await testRecords.storage.atomically(new Credentials(testRecords.storage).ending(person, renewed));
    expect((await sessions.find("after"))?.session.id).toBe("renewed");
    expect(await sessions.find("before")).toBeUndefined();
  });

  test("a sign-in that began before the password was changed adds no session and no entry", async () => {
    const person = await testRecords.holder();
    const credentials = new Credentials(testRecords.storage);
    const change = { password: "new", revokeTokens: false, removePasskeys: false };
    await credentials.changePassword(person, change, []);
    expect(await credentials.epochOf(person.id)).toBe(1);
    await expect(add(person, { epoch: 0 })).rejects.toThrow(signInRefused().message);
    expect(await sessions.list(person)).toEqual([]);
    expect(await actions(person)).toEqual([]);
    await add(person, { epoch: 1 });
    expect(await sessions.list(person)).toHaveLength(1);
  });

  test("an account's sessions are listed by their last use, and none of another account's", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    const [first, second] = [await add(person), await add(person)];
    await add(other);
    const later = Date.now() + 60_000;
    await sessions.keepSeen(first, later + HOUR_MS, later);
    const listed = await sessions.list(person);
    expect(listed.map(({ id }) => id)).toEqual([first, second]);
    expect(listed[0]).toMatchObject({ seenAt: later, expiresAt: later + HOUR_MS });
  });

  test("sessions are ended by their own account alone, one or all others, and an end of none leaves no entry", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    const [kept, second] = [await add(person), await add(person), await add(person)];
    const theirs = await add(other);
    const [before, others] = [await actions(person), await actions(other)];
    const entry = (by: Holder) => ({ ...entryOf(by), action: "session.ended" }) as const;
    expect(await sessions.end(other, second, [entry(other)])).toBe(false);
    await sessions.endOthers(other, theirs, entry(other));
    expect([(await sessions.list(person)).length, await actions(other)]).toEqual([3, others]);
    expect(await sessions.end(person, second, [entry(person)])).toBe(true);
    expect(await sessions.end(person, second, [entry(person)])).toBe(false);
    await sessions.endOthers(person, kept, entry(person));
    expect((await sessions.list(person)).map(({ id }) => id)).toEqual([kept]);
    expect((await sessions.list(other)).map(({ id }) => id)).toEqual([theirs]);
    expect(await actions(person)).toEqual(["session.ended", "session.ended", ...before]);
  });

  test("of a hundred sessions the oldest ends for a new one, also for many at once, and none of another account", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    const theirs = await add(other);
    const [oldest, next] = [await add(person), await add(person)];
    const ago = (ms: number) => ({ created_at: Date.now() - ms });
    for (const [id, ms] of [
      [oldest, 2000],
      [next, 1000],
    ] as const) {
      await testRecords.storage.db.updateTable("sessions").set(ago(ms)).where("id", "=", id).execute();
    }
    await Promise.all(Array.from({ length: 98 }, () => add(person)));
    expect(await sessions.list(person)).toHaveLength(100);
    const newest = await add(person);
    const kept = testRecords.storage.db.selectFrom("sessions").select("id").where("person", "=", person.id);
    // The list would show no more than a hundred.
    const ids = (await kept.execute()).map(({ id }) => id);
    expect([ids.length, ids.includes(oldest), ids.includes(next), ids.includes(newest)]).toEqual([
      100,
      false,
      true,
      true,
    ]);
    expect((await sessions.list(other)).map(({ id }) => id)).toEqual([theirs]);
  });

  test("what has expired is removed a slice at a time, and what has not stays", async () => {
    const person = await testRecords.holder();
    const { storage } = testRecords;
    const now = Date.now();
    const [, current] = [await add(person, { expiresAt: now - 1 }), await add(person, { expiresAt: now + 1 })];
    const devices = new TrustedDevices(storage);
    const device = { hash: Buffer.from("old"), userAgent: "", address: "", expiresAt: now - 1 };
    await storage.atomically([
      ...devices.adding(person, device, 0),
      ...devices.adding(person, { ...device, hash: Buffer.from("new"), expiresAt: now + 1 }, 0),
    ]);
    const links = new MailLinks(storage);
    await links.put(person, "recover-password", Buffer.from("old"), now - 1);
    await links.put(person, "verify-address", Buffer.from("new"), now + 1);
    const attempts = Array.from({ length: 501 }, (_, at) => ({ key: `old ${at}`, count: 1, ends_at: now - 1 }));
    await storage.db
      .insertInto("attempts")
      .values([...attempts, { key: "new", count: 1, ends_at: now + 1 }])
      .execute();
    const removing = () => expiredRowsJob(storage).run({ now, signal: new AbortController().signal });
    expect([await removing(), await removing()]).toEqual([0, undefined]);
    expect((await sessions.list(person)).map(({ id }) => id)).toEqual([current]);
    for (const table of ["attempts", "trusted_devices", "mail_links"] as const) {
      expect(await storage.db.selectFrom(table).selectAll().execute()).toHaveLength(1);
    }
  });
});
