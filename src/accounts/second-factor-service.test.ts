import { beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { bytesToHex, managedNonce, utf8ToBytes } from "@noble/ciphers/utils.js";
import { Secret } from "otpauth";
import type { Session } from "#core/session.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { quickAccount } from "#test/support/auth-browser.ts";
import { NOW, openTestAuth } from "#test/support/open-test-auth.ts";
import { totpCode } from "#test/support/totp.ts";
import { SecondFactorService } from "./second-factor-service.ts";

/** The text of which an app has the bytes (RFC 4648, 6). */
function base32Text(encoded: string): string {
  return new TextDecoder().decode(Secret.fromBase32(encoded).bytes);
}

import type { Holder } from "#test/support/test-account.ts";
import { CODE_BY_ACCOUNT } from "./second-factor-service.ts";

const STEP_MS = 30_000;
const SECRET = "a secret of the tests";
const REFUSED = { code: "second-factor-refused" };
const UNKNOWN = { code: "resource-unknown" };

const { opened, storage, tables, throttle } = await openTestAuth();
const factors = new SecondFactorService(tables, storage, async () => SECRET);
let person: Holder;
let session: Session;
beforeEach(async () => {
  person = await quickAccount(storage);
  session = {
    id: "",
    person,
    expiresAt: 0,
    remembered: true,
    proof: { kind: "sign-in", at: 0 },
    stores: [],
    hasSecondFactor: false,
    hasPassword: true,
    cookies: [],
    caller: { ...TEST_SOURCE, person: person.id },
  };
});

const require = (code: string) => factors.requireCode(person, code, session.caller);

async function enabled(): Promise<{ uri: string; backupCodes: readonly string[] }> {
  const { totpURI: uri, backupCodes } = await factors.setUp(session);
  await factors.confirm(session, totpCode(uri, -1));
  return { uri, backupCodes };
}

async function isOn(): Promise<boolean | undefined> {
  return (await opened.records.people.find({ id: person.id }))?.twoFactor;
}

describe("a setup", () => {
  test("takes effect with its first code, and leaves the factor before it in effect until then", async () => {
    const first = await enabled();
    const second = await factors.setUp(session);
    await expect(require(totpCode(second.totpURI))).rejects.toMatchObject(REFUSED);
    expect(await require(totpCode(first.uri))).toBe("code");
    await factors.confirm(session, totpCode(second.totpURI));
    setSystemTime(NOW + STEP_MS);
    await expect(require(totpCode(first.uri))).rejects.toMatchObject(REFUSED);
    expect(await require(totpCode(second.totpURI))).toBe("code");
  });

  test("is not confirmed by a wrong code, and can be afterwards by a right one", async () => {
    const { totpURI, backupCodes } = await factors.setUp(session);
    for (const code of ["", "abc", totpCode(totpURI, 3), backupCodes[0] ?? ""]) {
      await expect(factors.confirm(session, code)).rejects.toMatchObject(REFUSED);
    }
    expect(await isOn()).toBe(false);
    await factors.confirm(session, totpCode(totpURI));
    expect(await isOn()).toBe(true);
  });

  test("must have begun", async () => {
    await expect(factors.confirm(session, "000000")).rejects.toMatchObject(UNKNOWN);
    await enabled();
    await expect(factors.confirm(session, "000000")).rejects.toMatchObject(UNKNOWN);
  });

  test("is in the database without its secret and its backup codes", async () => {
    const { uri, backupCodes } = await enabled();
    const rows = JSON.stringify(await storage.db.selectFrom("people").selectAll().execute());
    expect(rows).not.toContain(new URL(uri).searchParams.get("secret") ?? "no secret");
    for (const code of backupCodes) expect(rows).not.toContain(code);
  });
});

describe("what was sealed before 1.0.0", () => {
  /** The form of that time, with the SHA-256 of SECRET as its key. */
  const sealedBefore = (text: string) => {
    const cipher = managedNonce(xchacha20poly1305)(
      new Uint8Array(new Bun.CryptoHasher("sha256").update(SECRET).digest()),
    );
    return bytesToHex(cipher.encrypt(utf8ToBytes(text)));
  };
  const stored = async () => (await tables.secondFactors.find(person)) ?? { secret: "", backupCodes: "" };

  async function before() {
    const { uri, backupCodes } = await enabled();
    const appSecret = base32Text(new URL(uri).searchParams.get("secret") ?? "");
    const old = { second_factor: sealedBefore(appSecret), backup_codes: sealedBefore(JSON.stringify(backupCodes)) };
    await storage.db.updateTable("people").set(old).where("id", "=", person.id).execute();
    return { uri, backupCodes, old };
  }

  test("is opened, and is sealed as all other secrets are once its code is taken", async () => {
    const { uri, backupCodes, old } = await before();
    await expect(require(totpCode(uri, 5))).rejects.toMatchObject(REFUSED);
    expect((await stored()).secret).toBe(old.second_factor);
    expect(await require(totpCode(uri))).toBe("code");
    const { secret, backupCodes: sealed } = await stored();
    for (const text of [secret, sealed]) expect(text).not.toMatch(/^[0-9a-f]+$/);
    expect(await require(backupCodes[0] ?? "")).toBe("backup code");
  });

  test("has backup codes that are taken once, and is sealed anew with them", async () => {
    const { uri, backupCodes } = await before();
    expect(await require(backupCodes[3] ?? "")).toBe("backup code");
    await expect(require(backupCodes[3] ?? "")).rejects.toMatchObject(REFUSED);
    for (const text of Object.values(await stored())) expect(text).not.toMatch(/^[0-9a-f]+$/);
    expect(await require(totpCode(uri))).toBe("code");
  });
});

test("a second factor of somebody else is not opened, nor backup codes as the secret", async () => {
  const { uri } = await enabled();
  const other = await quickAccount(storage);
  const { secret, backupCodes } = (await tables.secondFactors.find(person)) ?? { secret: "", backupCodes: "" };
  for (const [id, second_factor] of [
    [other.id, secret],
    [person.id, backupCodes],
  ] as const) {
    const moved = { second_factor, backup_codes: backupCodes };
    await storage.db.updateTable("people").set(moved).where("id", "=", id).execute();
    const opening = factors.requireCode(id === person.id ? person : other, totpCode(uri), session.caller);
    await expect(opening).rejects.toThrow();
  }
});

describe("a code of the app", () => {
  test("is taken one step of 30 seconds early or late, and no further away", async () => {
    const { uri } = await enabled();
    setSystemTime(NOW + 10 * STEP_MS);
    await expect(require(totpCode(uri, -2))).rejects.toMatchObject(REFUSED);
    await expect(require(totpCode(uri, 2))).rejects.toMatchObject(REFUSED);
    for (const steps of [-1, 0, 1]) expect(await require(totpCode(uri, steps))).toBe("code");
  });

  test("is taken once, for as long as it is valid", async () => {
    const { uri } = await enabled();
    setSystemTime(NOW + 2 * STEP_MS);
    const early = totpCode(uri, 1);
    await require(early);
    for (let passedMs = 0; passedMs < 3 * STEP_MS; passedMs += STEP_MS - 1) {
      setSystemTime(NOW + 2 * STEP_MS + passedMs);
      await expect(require(early)).rejects.toMatchObject(REFUSED);
    }
  });

  test("is taken once also when two requests bring it at the same moment", async () => {
    const { uri } = await enabled();
    const code = totpCode(uri);
    const both = await Promise.allSettled([require(code), require(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("cannot be guessed: after ten refusals the right one is refused as well, for a quarter of an hour", async () => {
    const { uri } = await enabled();
    for (let left = CODE_BY_ACCOUNT.max; left > 1; left--) await throttle.count([[CODE_BY_ACCOUNT, person.id]]);
    await expect(require(totpCode(uri, 5))).rejects.toMatchObject(REFUSED);
    await expect(require(totpCode(uri))).rejects.toMatchObject({ code: "rate-limited" });
    setSystemTime(NOW + 15 * 60_000);
    expect(await require(totpCode(uri))).toBe("code");
  });

  test("that is refused is entered in the audit log, without the code", async () => {
    const { uri } = await enabled();
    const code = totpCode(uri, 4);
    await expect(require(code)).rejects.toMatchObject(REFUSED);
    const [entry] = (await opened.reads.audit.list(person.id, { limit: 1 })).found;
    expect(entry?.action).toBe("sign_in.second_factor_failed");
    expect(JSON.stringify(entry?.detail ?? {})).not.toContain(code);
  });
});

describe("a backup code", () => {
  test("is taken once, and the log says how many are left", async () => {
    const { backupCodes } = await enabled();
    const [code = ""] = backupCodes;
    expect(await require(code)).toBe("backup code");
    const [entry] = (await opened.reads.audit.list(person.id, { limit: 1 })).found;
    expect(entry).toMatchObject({ action: "second_factor.backup_code_used", detail: { codes_left: 9 } });
    await expect(require(code)).rejects.toMatchObject(REFUSED);
    expect(await require(backupCodes[9] ?? "")).toBe("backup code");
  });

  test("is taken once also when two requests bring it at the same moment", async () => {
    const { backupCodes } = await enabled();
    const both = await Promise.allSettled([require(backupCodes[0] ?? ""), require(backupCodes[0] ?? "")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("is not refused because another one is used at the same moment", async () => {
    const { backupCodes } = await enabled();
    expect(await Promise.all([require(backupCodes[0] ?? ""), require(backupCodes[1] ?? "")])).toEqual([
      "backup code",
      "backup code",
    ]);
    for (const used of backupCodes.slice(0, 2)) await expect(require(used)).rejects.toMatchObject(REFUSED);
  });

  test("is refused once new ones were made, and a new one is taken", async () => {
    const { backupCodes } = await enabled();
    const [code = ""] = await factors.newBackupCodes(session);
    await expect(require(backupCodes[0] ?? "")).rejects.toMatchObject(REFUSED);
    expect(await require(code)).toBe("backup code");
  });

  test("is none of the account's if it has no second factor, or none any more", async () => {
    await expect(factors.newBackupCodes(session)).rejects.toMatchObject(UNKNOWN);
    const { backupCodes } = await enabled();
    await factors.disable(session);
    expect(await isOn()).toBe(false);
    await expect(require(backupCodes[0] ?? "")).rejects.toMatchObject(UNKNOWN);
  });
});
