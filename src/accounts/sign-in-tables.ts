import { Credentials } from "#storage/sign-in/credentials.ts";
import { ExpiredRows } from "#storage/sign-in/expired-rows.ts";
import { Passkeys } from "#storage/sign-in/passkeys.ts";
import { SecondFactors } from "#storage/sign-in/second-factors.ts";
import { Sessions } from "#storage/sign-in/sessions.ts";
import { TrustedDevices } from "#storage/sign-in/trusted-devices.ts";
import { WelcomeCodes } from "#storage/sign-in/welcome-codes.ts";
import type { Storage } from "#storage/storage.ts";

/** The stores that sign-in uses. */
export class SignInTables {
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
  readonly passkeys: Passkeys;
  readonly trustedDevices: TrustedDevices;
  readonly welcomeCodes: WelcomeCodes;
  readonly expired: ExpiredRows;

  constructor(storage: Storage) {
    this.credentials = new Credentials(storage);
    this.sessions = new Sessions(storage);
    this.secondFactors = new SecondFactors(storage);
    this.passkeys = new Passkeys(storage);
    this.trustedDevices = new TrustedDevices(storage);
    this.welcomeCodes = new WelcomeCodes(storage);
    this.expired = new ExpiredRows(storage);
  }
}
