import type { Observer } from "#core/observer.ts";
import type { WaysIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import { AccountService } from "./account-service.ts";
import { PasskeyService } from "./passkey-service.ts";
import { Proofs } from "./proofs.ts";
import { SecondFactorService } from "./second-factor-service.ts";
import { randomSecret } from "./secrets.ts";
import { SessionService } from "./session-service.ts";
import { SignInCookies } from "./sign-in-cookies.ts";
import { signInTables } from "./sign-in-tables.ts";
import { TrustedDeviceService } from "./trusted-device-service.ts";

export interface SignInOptions {
  /** SECRET; if undefined, a secret is made once and stored in the database. */
  readonly secret: string | undefined;
  /** Another SECRET, by which earlier releases may have sealed and signed. */
  readonly formerSecret?: string | undefined;
  readonly observer: Pick<Observer, "count" | "failed" | "notice">;
}

/** The services of signing in, which work on the same tables and cookies. */
export type SignInParts = ReturnType<typeof signInParts>;

export function signInParts(storage: Storage, { secret: given, formerSecret, observer }: SignInOptions, ways: WaysIn) {
  let stored: Promise<string> | undefined;
  const secret = async () => {
    stored ??=
      given === undefined ? storage.records.keptSecret("session", () => randomSecret(48)) : Promise.resolve(given);
    return stored.catch((error) => {
      stored = undefined;
      throw error;
    });
  };
  const cookies = new SignInCookies(secret, formerSecret);
  const tables = signInTables(storage, ways);
  const secondFactors = new SecondFactorService(tables, storage, secret, formerSecret);
  const passkeys = new PasskeyService(tables, cookies);
  const trustedDevices = new TrustedDeviceService(tables, cookies);
  return {
    storage,
    observer,
    tables,
    cookies,
    secondFactors,
    passkeys,
    trustedDevices,
    accounts: new AccountService(storage, tables),
    sessions: new SessionService(tables, cookies),
    proofs: new Proofs(tables, secondFactors, passkeys, trustedDevices),
  };
}
