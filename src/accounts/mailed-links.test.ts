import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { actsOfAccount } from "#storage/audit.ts";
import { Credentials } from "#storage/sign-in/credentials.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { AuthBrowser, quickAccount, signedIn } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { addAccount, type Holder } from "#test/support/test-account.ts";
import { PASSWORD as STRANGERS } from "#test/support/test-browser.ts";
import { verifyAddress } from "#test/support/test-records.ts";
import { AccountService } from "./account-service.ts";
import { makeMailedLink } from "./mailed-links.ts";

const PASSWORD = "nine purple watering cans";
const OTHER_PASSWORD = "seven orange garden gnomes";
const KEEP = { revokeTokens: false, removePasskeys: false };
const REFUSED = { code: "link-refused" };
const LIMITED = { code: "rate-limited" };
const { client } = new CookieJar();

const { opened, storage, auth, tables, throttle } = await openTestAuth();
const { mail } = auth;
let person: Holder;
beforeEach(async () => {
  person = await quickAccount(storage);
  await storage.db.deleteFrom("mail_queue").execute();
  await storage.db.deleteFrom("attempts").execute();
});

const make = (of: Holder, purpose: "recover-password" | "verify-address") => makeMailedLink(storage, of, purpose);
const verify = (secret: string) => mail.verify(client, secret);
const recover = (secret: string, password: string) => mail.recover(client, secret, password, {});

async function queued(): Promise<unknown[]> {
  const rows = await storage.db.selectFrom("mail_queue").select("mail").orderBy("id").execute();
  return rows.map((row) => JSON.parse(row.mail));
}

describe("asking for recovery", () => {
  test("queues the same for an address with an account as for one without", async () => {
    await mail.askForRecovery(client, ` ${person.email.toUpperCase()} `);
    await mail.askForRecovery(client, "nobody@Bücher.example");
    expect(await queued()).toEqual([
      { kind: "recover-password", to: person.email },
      { kind: "recover-password", to: "nobody@xn--bcher-kva.example" },
    ]);
  });

  test("is allowed three times an hour for one address, whoever asks", async () => {
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      await mail.askForRecovery({ ...client, address }, person.email);
    }
    const again = () => mail.askForRecovery({ ...client, address: "192.0.2.4" }, person.email.toUpperCase());
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

test("a link of a clock that was far ahead is refused when the clock is right", async () => {
  const secret = await make(person, "verify-address");
  setSystemTime(NOW - 7 * 24 * HOUR_MS);
  await expect(verify(secret)).rejects.toMatchObject(REFUSED);
});

describe("asking for verification", () => {
  test("is allowed three times an hour, and does not use up what recovery is allowed", async () => {
    for (let times = 0; times < 3; times++) await mail.askForVerification({ person });
    await expect(mail.askForVerification({ person })).rejects.toMatchObject(LIMITED);
    await mail.askForRecovery(client, person.email);
    expect((await queued()).filter((one) => JSON.stringify(one).includes("verify-address"))).toHaveLength(3);
  });
});

test("what was done by a mailed link is entered with the address of the client that opened it", async () => {
  const secret = await make(person, "verify-address");
  await mail.verify(client, secret);
  const [entry] = (await opened.reads.audit.list(person.id, { limit: 1 })).found;
  expect(entry).toMatchObject({ action: "settings.changed", address: client.address, device: "Firefox on Linux" });
});

describe("a link that was mailed", () => {
  test("is replaced by a newer one", async () => {
    const early = await make(person, "verify-address");
    const newer = await make(person, "verify-address");
    await expect(verify(early)).rejects.toMatchObject(REFUSED);
    await verify(newer);
  });

  test("is for its own purpose alone", async () => {
    const verifying = await make(person, "verify-address");
    const recovering = await make(person, "recover-password");
    await expect(recover(verifying, PASSWORD)).rejects.toMatchObject(REFUSED);
    await expect(verify(recovering)).rejects.toMatchObject(REFUSED);
  });

  test("recovers once also for two requests at once", async () => {
    const secret = await make(person, "recover-password");
    const both = await Promise.allSettled([recover(secret, PASSWORD), recover(secret, PASSWORD)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("verifies once, and says so again to who opens it later or at the same moment", async () => {
    const secret = await make(person, "verify-address");
    await Promise.all([verify(secret), verify(secret)]);
    await verify(secret);
    const { found } = await opened.reads.audit.list(person.id, { limit: 100 });
    expect(found.filter(({ detail }) => detail?.email_verified)).toHaveLength(1);
  });

  test("verifies no address but the one to which it was mailed", async () => {
    const secret = await make(person, "verify-address");
    await verify(secret);
    const entry = { ...TEST_SOURCE, ofPerson: person.id, action: "settings.changed" } as const;
    await new Credentials(storage).change(person, { email: `new-${person.email}` }, entry);
    await expect(verify(secret)).rejects.toMatchObject(REFUSED);
  });

  test.each([
    ["verify-address", 24 * HOUR_MS],
    ["recover-password", HOUR_MS],
  ] as const)("for %s is good for %p ms", async (purpose, ageMs) => {
    const use = (secret: string) => (purpose === "verify-address" ? verify(secret) : recover(secret, "short"));
    const secret = await make(person, purpose);
    setSystemTime(NOW + ageMs - 1);
    if (purpose === "recover-password") await expect(use(secret)).rejects.toMatchObject({ code: "member-invalid" });
    setSystemTime(NOW + ageMs);
    await expect(use(secret)).rejects.toMatchObject(REFUSED);
  });

  test("that recovers an account is not spent by a password that is too weak", async () => {
    const secret = await make(person, "recover-password");
    await expect(recover(secret, "short")).rejects.toMatchObject({ code: "member-invalid" });
    await recover(secret, OTHER_PASSWORD);
    await expect(recover(secret, PASSWORD)).rejects.toMatchObject(REFUSED);
  });

  test("does not recover an account whose address or password was changed since", async () => {
    const other = await addAccount(storage, "moved@example.test");
    const accounts = new AccountService(storage);
    const toOldAddress = await make(other, "recover-password");
    await accounts.change(other, { email: "new@example.test" }, TEST_SOURCE);
    const madeLate = await make(other, "recover-password");
    const moved = { ...other, email: "new@example.test" };
    for (const secret of [toOldAddress, madeLate]) {
      await expect(recover(secret, OTHER_PASSWORD)).rejects.toMatchObject(REFUSED);
    }
    await verifyAddress(storage, other);
    const beforeChange = await make(moved, "recover-password");
    await accounts.setPassword("new@example.test", OTHER_PASSWORD, KEEP, TEST_SOURCE);
    await expect(recover(beforeChange, PASSWORD)).rejects.toMatchObject(REFUSED);
    const afterChange = await make(moved, "recover-password");
    await accounts.change(moved, { name: "Moss" }, TEST_SOURCE);
    await recover(afterChange, PASSWORD);
  });

  describe("at an address that was never verified", () => {
    test("recovers the account however often the stranger who made it changes the password or signs in", async () => {
      const { browser, person } = await signedIn(auth, storage);
      const secret = await make(person, "recover-password");
      await browser.send("/change-password", { currentPassword: STRANGERS, newPassword: OTHER_PASSWORD });
      const signIns = [[actsOfAccount("sign_in.succeeded"), person.id]] as const;
      while (await throttle.tryCount(signIns));
      await recover(secret, PASSWORD);
      await new AuthBrowser(auth).signIn(person, { password: PASSWORD });
    });

    test("is not undone by what the stranger has under way", async () => {
      const { browser, person } = await signedIn(auth, storage);
      const session = await browser.session();
      const secret = await make(person, "recover-password");
      await recover(secret, PASSWORD);
      const { credentials } = tables;
      const entry = { ...session.caller, ofPerson: person.id };
      const caller = { ...session.caller, account: person.account };
      const token = { name: "Till", scopes: [], expiresAt: undefined };
      const email = "stranger@example.test";
      for (const act of [
        () => credentials.changePassword(person, { password: "a hash" }, [{ ...entry, action: "password.changed" }]),
        () => credentials.change(person, { email }, { ...entry, action: "settings.changed" }),
        () => opened.records.tokens.add(caller, token, "a secret"),
      ])
        await expect(act()).rejects.toMatchObject({ code: "session-missing" });
    });
  });
});
