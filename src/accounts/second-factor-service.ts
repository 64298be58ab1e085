import { Secret, TOTP } from "otpauth";
import type { Caller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { randomCharacters } from "#core/token.ts";
import { CODE_BY_ACCOUNT, SAME_CODE } from "#load/limits.ts";
import { asRead, required, untilAsRead } from "#storage/database-access.ts";
import { codeRefused, type SecondFactorRow } from "#storage/sign-in/second-factors.ts";
import { keepingWayIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import { randomByte, seal, unseal } from "./secrets.ts";
import type { SignInTables } from "./sign-in-tables.ts";

/** Codes of an authenticator app (RFC 6238), and backup codes that each work once. */
export class SecondFactorService {
  constructor(
    private readonly tables: SignInTables,
    private readonly storage: Pick<Storage, "audit" | "db">,
    private readonly secret: () => Promise<string>,
    /** Another by which factors may be sealed. */
    private readonly former?: string,
  ) {}

  /** Begins a setup, which takes effect with its first code. Until then an earlier setup stays in effect. */
  async setUp({ person }: Session) {
    const secret = await this.secret();
    const appSecret = randomCharacters(32, randomByte);
    const backupCodes = newBackupCodes();
    await this.tables.secondFactors.setUp(person, {
      secret: seal(secret, appSecret),
      backupCodes: seal(secret, JSON.stringify(backupCodes)),
    });
    return { totpURI: totp(appSecret, person.email).toString(), backupCodes };
  }

  /** Confirms the setup with its first code, and forgets the devices trusted so far. */
  async confirm(session: Session, code: string): Promise<void> {
    const { person, caller } = session;
    const pending = await this.tables.secondFactors.find(person, { pending: true });
    if (!pending) throw new Failure("resource-unknown", "No second factor is being set up; begin with its setup");
    await this.#counted(person, caller, () => this.#isAppCode(person, pending, code));
    const entry = { ...caller, action: "second_factor.enabled" } as const;
    const also = [this.tables.trustedDevices.forgetting(person)];
    await this.tables.secondFactors.confirm(person, pending.id, also, entry);
  }

  async disable(session: Session): Promise<void> {
    const { trustedDevices, ways } = this.tables;
    const keeping = keepingWayIn(this.storage.db, session.person, ways, { secondFactor: true });
    const also = [trustedDevices.forgetting(session.person), ...keeping];
    await this.tables.secondFactors.remove(session.person, also, {
      ...session.caller,
      action: "second_factor.disabled",
    });
  }

  async newBackupCodes(session: Session): Promise<readonly string[]> {
    const factor = await this.#required(session.person);
    const codes = newBackupCodes();
    const sealed = seal(await this.secret(), JSON.stringify(codes));
    const entry = { ...session.caller, action: "second_factor.backup_codes_made" } as const;
    const replacing = this.tables.secondFactors.replacingBackupCodes(factor, sealed);
    await this.storage.audit.runAudited([required(replacing, codeRefused)], [entry]);
    return codes;
  }

  /** Throws "second-factor-refused" unless the code is an unused one of the app or an unused backup code. */
  async requireCode(person: Person, code: string, caller: Caller): Promise<"code" | "backup code"> {
    const factor = await this.#required(person);
    const isOfApp = /^\d{6}$/.test(code);
    await this.#counted(person, caller, () =>
      isOfApp ? this.#isAppCode(person, factor, code) : this.#spendBackupCode(person, code, caller),
    );
    return isOfApp ? "code" : "backup code";
  }

  #counted(person: Person, caller: Caller, check: () => Promise<boolean>): Promise<void> {
    return this.tables.throttle.attempt([[CODE_BY_ACCOUNT, person.id]], async () => {
      if (await check()) return;
      await this.storage.audit.add({ ...caller, action: "sign_in.second_factor_failed" });
      throw codeRefused();
    });
  }

  async #isAppCode(person: Person, { secret }: SecondFactorRow, code: string): Promise<boolean> {
    const app = totp(unseal(await this.secret(), secret, this.former), person.email);
    // One step of 30 seconds early or late (RFC 6238, 5.2).
    if (app.validate({ token: code, window: 1 }) === null) return false;
    return this.tables.throttle.tryCount([[SAME_CODE, `${person.id} ${code}`]]);
  }

  /** Another code that is spent at the same time changes the same row. */
  #spendBackupCode(person: Person, code: string, caller: Caller): Promise<boolean> {
    return untilAsRead(async () => {
      const factor = await this.#required(person);
      const secret = await this.secret();
      const codes: readonly string[] = JSON.parse(unseal(secret, factor.backupCodes, this.former));
      if (!codes.includes(code)) return false;
      const left = codes.filter((kept) => kept !== code);
      const detail = { codes_left: left.length };
      const entry = { ...caller, action: "second_factor.backup_code_used", detail } as const;
      const spending = this.tables.secondFactors.replacingBackupCodes(factor, seal(secret, JSON.stringify(left)));
      await this.storage.audit.runAudited([asRead(spending)], [entry]);
      return true;
    });
  }

  async #required(person: Person): Promise<SecondFactorRow> {
    const factor = await this.tables.secondFactors.find(person);
    if (!factor) throw new Failure("resource-unknown", "This account has no second factor");
    return factor;
  }
}

function totp(secret: string, label: string): TOTP {
  return new TOTP({
    issuer: "Plantstore",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: 30,
    secret: Secret.fromUTF8(secret),
  });
}

/** Ten codes in the form of "aB3dE-fG7hJ". */
function newBackupCodes(): string[] {
  const half = () => randomCharacters(5, randomByte);
  return Array.from({ length: 10 }, () => `${half()}-${half()}`);
}
