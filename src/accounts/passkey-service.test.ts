import { beforeEach, describe, expect, test } from "bun:test";
import type { Person } from "#core/person.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "#core/person.ts";
import { AuthBrowser, signedIn } from "#test/support/auth-browser.ts";
import { SoftwareAuthenticator } from "#test/support/authenticator.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { openTestAuth } from "#test/support/open-test-auth.ts";

const REFUSED = { code: "second-factor-refused" };

const { storage, auth } = await openTestAuth();
let browser: AuthBrowser;
let person: Person;
let device: SoftwareAuthenticator;
beforeEach(async () => {
  ({ browser, person } = await signedIn(auth, storage));
  device = new SoftwareAuthenticator(browser.jar.origin);
});

const stranger = (jar?: CookieJar) => new AuthBrowser(auth, jar);
const verify = (by: AuthBrowser, response: object) => by.send("/passkey/verify-authentication", { response });
const passkeys = async (by = browser) => (await by.send("/passkey/list-user-passkeys")) as { id: string }[];

describe("a passkey", () => {
  test("signs in once with one answer, also in a copy of the browser that still has the challenge", async () => {
    await browser.register(device);
    const elsewhere = stranger();
    const response = await elsewhere.signed(device);
    const both = await Promise.allSettled([
      verify(elsewhere, response),
      verify(stranger(elsewhere.jar.copy()), response),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("signs nobody in with an answer that it gave to another site", async () => {
    await browser.register(device);
    const elsewhere = stranger(new CookieJar("https://plants.other.example"));
    await expect(elsewhere.signInWithPasskey(device)).rejects.toMatchObject(REFUSED);
  });

  test("signs nobody in if its device asked its holder for nothing", async () => {
    await browser.register(device);
    device.verifiesUser = false;
    await expect(stranger().signInWithPasskey(device)).rejects.toMatchObject(REFUSED);
  });

  test("is refused once a copy of it has signed: the count of signatures went on without it", async () => {
    device.signatures = 0xffff_fff0;
    await browser.register(device);
    device.signatures = 0xffff_fff2;
    await stranger().signInWithPasskey(device);
    for (const signatures of [0xffff_fff2, 0xffff_fff1, 0]) {
      device.signatures = signatures;
      await expect(stranger().signInWithPasskey(device)).rejects.toMatchObject(REFUSED);
    }
    device.signatures = 0xffff_fff3;
    await stranger().signInWithPasskey(device);
  });

  test("is not a malformed answer", async () => {
    const elsewhere = stranger();
    await elsewhere.signed(device);
    for (const response of [undefined, null, "x", {}, { id: "AA", response: {} }]) {
      await expect(elsewhere.send("/passkey/verify-authentication", { response })).rejects.toMatchObject(REFUSED);
    }
  });
});

describe("registering a passkey", () => {
  test("is refused for a device that is registered already, for this account or another, and spends no proof", async () => {
    await browser.register(device);
    await browser.prove();
    const again = { response: await browser.registration(device), name: "Again" };
    await expect(browser.send("/passkey/verify-registration", again)).rejects.toMatchObject(REFUSED);
    expect(await passkeys()).toHaveLength(1);
    expect((await browser.session()).proof?.kind).toBe("asked");
    const other = await signedIn(auth, storage);
    await expect(other.browser.register(device)).rejects.toMatchObject(REFUSED);
    const elsewhere = stranger();
    await elsewhere.signInWithPasskey(device);
    expect((await elsewhere.session()).person.id).toBe(person.id);
  });

  test("adds one passkey for one proof, also by two requests at once", async () => {
    await browser.prove();
    const response = await browser.registration(device);
    const other = stranger(browser.jar.copy());
    const otherResponse = await other.registration(new SoftwareAuthenticator(browser.jar.origin));
    const both = await Promise.allSettled([
      browser.send("/passkey/verify-registration", { response }),
      other.send("/passkey/verify-registration", { response: otherResponse }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await passkeys()).toHaveLength(1);
  });

  test("is refused to an account with 50 of them, with the sentence that says so", async () => {
    const row = { person: person.id, public_key: "", counter: 0, device_type: "singleDevice", backed_up: 0 };
    const rows = Array.from({ length: 50 }, (_, index) => {
      const id = `${person.id}-${index}`;
      return { ...row, id, name: id, credential_id: id, transports: "", created_at: 0, aaguid: "" };
    });
    await storage.db.insertInto("passkeys").values(rows).execute();
    await expect(browser.register(device)).rejects.toMatchObject({ code: "account-limit" });
    expect(await passkeys()).toHaveLength(50);
  });
});

describe("the name of a passkey", () => {
  const rename = async (name: string) => {
    const [{ id } = { id: "" }] = await passkeys();
    await browser.send("/passkey/update-passkey", { id, name });
    return (await passkeys())[0];
  };

  test("has at most 50 characters, counted as people count them, without the blanks around it", async () => {
    await browser.register(device);
    expect(await rename(`  ${"🌱".repeat(PASSKEY_NAME_LENGTH_MAX)} `)).toMatchObject({ name: "🌱".repeat(50) });
    for (const name of ["x".repeat(PASSKEY_NAME_LENGTH_MAX + 1), "  ", "a\0b", "\ud800"]) {
      await expect(rename(name)).rejects.toMatchObject({ code: "member-invalid" });
    }
  });

  test("is not changed by another account", async () => {
    await browser.register(device, "Mine");
    const [{ id } = { id: "" }] = await passkeys();
    const other = await signedIn(auth, storage);
    const unknown = { code: "resource-unknown" };
    await expect(other.browser.send("/passkey/update-passkey", { id, name: "Theirs" })).rejects.toMatchObject(unknown);
    await expect(other.browser.send("/passkey/delete-passkey", { id })).rejects.toMatchObject(unknown);
    expect(await passkeys()).toMatchObject([{ name: "Mine" }]);
  });
});
