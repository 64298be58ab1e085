import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MINUTE_MS } from "#core/duration.ts";
import type { Mail } from "#core/mail.ts";
import { openStorage } from "#storage/open.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { addMember } from "#test/support/members.ts";
import type { Holder } from "#test/support/test-account.ts";
import { openTestRecords, verifyAddress } from "#test/support/test-records.ts";
import { mailJob } from "./mail-job.ts";
import type { Message } from "./messages.ts";

const ORIGIN = "https://plants.example/dashboard";

const opened = await openTestRecords("sqlite");
const { storage } = opened;
let account: Holder;
let sent: [to: string, message: Message][];
let failures: unknown[];
let givenUp: string[];
let serverIsDown: boolean;
let linksMade: string[];
let invitationLink: string | undefined;
beforeEach(async () => {
  account = await opened.holder();
  [sent, failures, givenUp, linksMade] = [[], [], [], []];
  serverIsDown = false;
  invitationLink = undefined;
  await storage.db.deleteFrom("mail_queue").execute();
});
afterAll(() => opened.end());

/** Runs the job until it has nothing to do at that time. */
async function run(now: number, { signal }: Pick<AbortController, "signal"> = new AbortController()): Promise<void> {
  const link =
    (path: string) =>
    async ({ id }: Holder) => {
      linksMade.push(`${path} ${id}`);
      return `${ORIGIN}/${path}?token=abc`;
    };
  const job = mailJob({
    queue: storage.mail,
    transport: {
      async send(to, message) {
        if (serverIsDown) throw new Error("connection refused");
        sent.push([to, message]);
      },
    },
    links: {
      settings: `${ORIGIN}/settings`,
      tokens: `${ORIGIN}/developer`,
      recovery: link("recovery"),
      verification: link("verify-email"),
      invitation: async () => invitationLink,
    },
    observer: { failed: (_, error) => void failures.push(error), gaveUp: (message) => void givenUp.push(message) },
    people: storage.records.people,
    stores: storage.records.stores,
    members: storage.records.members,
  });
  while ((await job.run({ now, signal })) === 0 && !signal.aborted) {}
}

const put = (mail: Mail) => storage.mail.put(mail);
/** Queues a notice in a unit of work. */
const notify = () => storage.atomically([storage.mail.noticing({ person: account.id }, notice, Date.now())]);
const soon = () => Date.now() + 1000;
const notice = { about: "password-changed", at: 0, what: "Firefox on Linux" } as const;

describe("queued mail", () => {
  test("is sent once, to its account's address, with a link that is made for it then", async () => {
    await put({ kind: "verify-address", person: account.id });
    expect(linksMade).toEqual([]);
    await run(soon());
    await run(soon());
    expect(sent).toMatchObject([[account.email, { subject: "Verify your e-mail address" }]]);
    expect(linksMade).toEqual([`verify-email ${account.id}`]);
  });

  test("to recover a password goes to an account that there is, and to nobody else", async () => {
    await put({ kind: "recover-password", to: account.email });
    await put({ kind: "recover-password", to: "nobody@example.test" });
    await run(soon());
    expect(sent.map(([to]) => to)).toEqual([account.email]);
    expect(failures).toEqual([]);
  });

  test("to recover a password is not sent an hour late", async () => {
    await put({ kind: "recover-password", to: account.email });
    await run(Date.now() + 61 * MINUTE_MS);
    expect([sent, linksMade]).toEqual([[], []]);
    await run(soon());
    expect(sent).toEqual([]);
  });

  test("is only what verifies it, for an address that was never verified", async () => {
    await notify();
    await put({ kind: "verify-address", person: account.id });
    await put({ kind: "recover-password", to: account.email });
    await run(soon());
    expect(linksMade).toEqual([`verify-email ${account.id}`, `recovery ${account.id}`]);
    expect(sent).toHaveLength(2);
    await verifyAddress(storage, account);
    await put({ kind: "verify-address", person: account.id });
    await notify();
    await run(soon());
    expect(sent.slice(2)).toMatchObject([[account.email, { subject: "Password changed" }]]);
  });

  test("about a store is not sent to who is no owner of it any more", async () => {
    const owner = await addMember(storage, account.account, "owner");
    await verifyAddress(storage, owner.person);
    const told = () => storage.atomically([storage.mail.noticing({ owners: account.account }, notice, Date.now())]);
    await told();
    await run(soon());
    expect(sent.map(([to]) => to)).toEqual([owner.person.email]);
    await told();
    await storage.records.members.changeRole(owner.caller, owner.person.id, "editor");
    await run(soon());
    expect(sent).toHaveLength(1);
  });

  test("about a store names it, or its id where the name could be taken for a link; of one that is removed its people are told", async () => {
    const { records } = storage;
    const owner = await addMember(storage);
    const { person, caller } = await addMember(storage, owner.caller.account, "editor");
    await verifyAddress(storage, person);
    const told = async (act: Promise<unknown>) => {
      await act;
      sent = [];
      await run(soon());
      return sent.map(([to, { paragraphs }]) => [to, paragraphs[0]]);
    };
    const audited = await openStorage(opened.url, { sendsMail: true });
    const { members, stores } = audited.records;
    await stores.change(owner.caller, { name: "Greenleaf Nursery" });
    expect(await told(members.changeRole(owner.caller, person.id, "viewer"))).toEqual([
      [person.email, "Your role in the store Greenleaf Nursery was changed: you are a viewer of it now."],
    ]);
    await stores.change(owner.caller, { name: "evil.example/free" });
    const { id = "" } = (await records.stores.find({ number: caller.account })) ?? {};
    expect(await told(members.remove(owner.caller, person.id, false))).toEqual([
      [person.email, `You were removed from the store ${id}.`],
    ]);
    await stores.change(owner.caller, { name: "Greenleaf Nursery" });
    await members.add({ ...TEST_SOURCE, account: caller.account }, person, "viewer");
    expect(await told(stores.remove(caller.account, owner.caller))).toEqual([
      [person.email, expect.stringContaining("The store Greenleaf Nursery, to which you belonged, was removed")],
    ]);
    await audited.records.close();
  });

  test("with an invitation goes to the invited address with its link, and nowhere once it is over", async () => {
    await verifyAddress(storage, account);
    const mail = { kind: "invitation", person: account.id, invitation: "inv_1" } as const;
    invitationLink = `${ORIGIN}/invitation?token=abc`;
    await storage.atomically([storage.mail.queuing(mail, "rosa@example.test", Date.now())]);
    await run(soon());
    expect(sent).toMatchObject([["rosa@example.test", { link: { url: invitationLink } }]]);
    expect(JSON.stringify(sent)).not.toContain(account.email);
    invitationLink = undefined;
    await storage.atomically([storage.mail.queuing(mail, "rosa@example.test", Date.now())]);
    await run(soon());
    expect([sent.length, failures]).toEqual([1, []]);
  });

  test("of an account that was removed is dropped", async () => {
    await put({ kind: "notice", person: "nobody", notice });
    await run(soon());
    expect([sent, failures]).toEqual([[], []]);
  });
});

describe("a mail server that is down", () => {
  test("is tried again after a minute, then five, and loses nothing", async () => {
    serverIsDown = true;
    await put({ kind: "verify-address", person: account.id });
    const start = soon();
    await run(start);
    await run(start + MINUTE_MS - 1);
    expect(failures).toHaveLength(1);
    await run(start + MINUTE_MS);
    expect(failures).toHaveLength(2);
    await run(start + 5 * MINUTE_MS);
    expect(failures).toHaveLength(2);
    serverIsDown = false;
    await run(start + 6 * MINUTE_MS);
    expect(sent).toHaveLength(1);
  });

  test("is no failure of a message that a stop interrupted, which is sent at the next start", async () => {
    serverIsDown = true;
    await put({ kind: "verify-address", person: account.id });
    const start = soon();
    await run(start, { signal: AbortSignal.abort() });
    serverIsDown = false;
    await run(start);
    expect([failures, sent.length]).toEqual([[], 1]);
  });

  test("is given up after a day, with each failure reported, and that it was given up", async () => {
    serverIsDown = true;
    await put({ kind: "verify-address", person: account.id });
    let now = soon();
    for (let hour = 0; hour < 48; hour++) {
      await run(now);
      now += 60 * MINUTE_MS;
    }
    expect(failures.length).toBeWithin(5, 9);
    expect(givenUp).toEqual(["a message was not sent, and is given up"]);
    serverIsDown = false;
    await run(now + 48 * 60 * MINUTE_MS);
    expect(sent).toEqual([]);
    expect(await storage.db.selectFrom("mail_queue").selectAll().execute()).toEqual([]);
  });
});

describe("one account causes", () => {
  test("twenty messages in an hour, of which three are kept for its recovery, and retries do not count", async () => {
    await verifyAddress(storage, account);
    serverIsDown = true;
    for (let index = 0; index < 30; index++) await notify();
    for (let index = 0; index < 5; index++) await put({ kind: "recover-password", to: account.email });
    const start = soon();
    await run(start);
    serverIsDown = false;
    await run(start + MINUTE_MS);
    const subjects = sent.map(([, { subject }]) => subject);
    expect(Map.groupBy(subjects, (subject) => subject).get("Password changed")).toHaveLength(17);
    expect(subjects).toHaveLength(20);
    expect(await storage.db.selectFrom("mail_queue").selectAll().execute()).toEqual([]);
  });

  test("no more by crashes: a message is counted once, whether its process was killed before it was counted or after", async () => {
    await verifyAddress(storage, account);
    for (let index = 0; index < 20; index++) await notify();
    const start = soon();
    for (const isCounted of [true, false]) {
      const { id = "" } = (await storage.mail.takeDue(start, start + 5 * MINUTE_MS)) ?? {};
      const addressed = { id, kind: "notice", person: account.id, to: account.email } as const;
      if (isCounted) await storage.mail.allow(addressed, start);
    }
    await run(start);
    await run(start + 5 * MINUTE_MS);
    expect(sent).toHaveLength(17);
    expect(await storage.db.selectFrom("mail_queue").selectAll().execute()).toEqual([]);
  });
});
