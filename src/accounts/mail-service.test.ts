import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import type { Account } from "#core/account.ts";
import { Throttle } from "#storage/throttle.ts";
import { quickAccount } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { MailService } from "./mail-service.ts";
import { MailedLinks } from "./mailed-links.ts";
import { SignedCookies } from "./signed-cookies.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const HOUR_MS = 3_600_000;
const LIMITED = { code: "rate-limited" };
const { client } = new CookieJar();
const cookies = async () => new SignedCookies("a secret of the tests");

let opened: TestStore;
let mail: MailService;
let account: Account;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  mail = new MailService(opened.storage, new Throttle(opened.storage), cookies, true);
});
beforeEach(async () => {
  setSystemTime(NOW);
  account = await quickAccount(opened.storage);
  await opened.storage.db.deleteFrom("mail_queue").execute();
  await opened.storage.db.deleteFrom("attempts").execute();
});
afterEach(() => void setSystemTime());
afterAll(() => opened.end());

async function queued(): Promise<unknown[]> {
  const rows = await opened.storage.db.selectFrom("mail_queue").select("mail").orderBy("id").execute();
  return rows.map((row) => JSON.parse(row.mail));
}

describe("asking for recovery", () => {
  test("queues the same for an address with an account as for one without", async () => {
    await mail.askForRecovery(client, ` ${account.email.toUpperCase()} `);
    await mail.askForRecovery(client, "nobody@example.test");
    expect(await queued()).toEqual([
      { kind: "recover-password", to: account.email },
      { kind: "recover-password", to: "nobody@example.test" },
    ]);
  });

  test("is allowed three times an hour for one address, whoever asks", async () => {
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      await mail.askForRecovery({ ...client, address }, account.email);
    }
    const again = () => mail.askForRecovery({ ...client, address: "192.0.2.4" }, account.email.toUpperCase());
    await expect(again()).rejects.toMatchObject(LIMITED);
    expect(await queued()).toHaveLength(3);
    setSystemTime(NOW + HOUR_MS);
    await again();
  });

  test("is allowed twenty times in a quarter of an hour from one network, for whatever addresses", async () => {
    const ask = (number: number) => mail.askForRecovery(client, `someone${number}@example.test`);
    for (let number = 0; number < 20; number++) await ask(number);
    await expect(ask(20)).rejects.toMatchObject(LIMITED);
    expect(await queued()).toHaveLength(20);
  });
});

describe("asking for verification", () => {
  test("is allowed three times an hour, and does not use up what recovery is allowed", async () => {
    for (let times = 0; times < 3; times++) await mail.askForVerification({ account });
    await expect(mail.askForVerification({ account })).rejects.toMatchObject(LIMITED);
    await mail.askForRecovery(client, account.email);
    expect((await queued()).filter((one) => JSON.stringify(one).includes("verify-address"))).toHaveLength(3);
  });
});

test("what was done by a mailed link is entered with the address of the client that opened it", async () => {
  const secret = await new MailedLinks(opened.storage).make(account, "verify-address");
  await mail.verify(client, secret);
  const [entry] = (await opened.reads.audit.list(account.number, { limit: 1 })).found;
  expect(entry).toMatchObject({ action: "settings.changed", address: client.address, device: "Firefox on Linux" });
});

test("a service that sends no mail refuses all of it, also a link that it would have taken, and queues nothing", async () => {
  const without = new MailService(opened.storage, new Throttle(opened.storage), cookies, false);
  const secret = await new MailedLinks(opened.storage).make(account, "verify-address");
  const refused = {
    code: "address-unknown",
    message: "This service sends no mail; ask its operator for a new password",
  };
  const acts = [
    () => without.askForRecovery(client, account.email),
    () => without.inspect(secret),
    () => without.recover(client, secret, "seven orange garden gnomes", {}),
    () => without.askForVerification({ account }),
    () => without.verify(client, secret),
  ];
  for (const act of acts) await expect((async () => act())()).rejects.toMatchObject(refused);
  await without.verifyNew(account);
  expect(await queued()).toEqual([]);
});
