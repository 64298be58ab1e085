import { Secret, TOTP } from "otpauth";
import type { Caller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { randomCharacters } from "#core/token.ts";
import { GUESSES, QUARTER } from "#load/limit-groups.ts";
import { ifUnchanged, required, retryIfChanged } from "#storage/database-access.ts";
import { SecretSealer } from "#storage/sealed-secret.ts";
import { codeRefused, type SecondFactorRow } from "#storage/sign-in/second-factors.ts";
import { keepingWayIn } from "#storage/sign-in/ways-in.ts";
import type { Storage } from "#storage/storage.ts";
import { isSealedBefore, openSealedBefore, randomByte } from "./secrets.ts";
import type { SignInTables } from "./sign-in-tables.ts";

export const CODE_BY_ACCOUNT = GUESSES.row("code by account", "person", { max: 10, ...QUARTER });
/** A code is accepted once during its validity (RFC 6238, 5.2). */
const SAME_CODE = GUESSES.row("same code", "code", { max: 1, windowSeconds: 120 }, "refused");

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
    const factor = { secret: randomCharacters(32, randomByte), backupCodes: newBackupCodes() };
    await this.tables.secondFactors.setUp(person, await this.#sealed(person, factor));
    return { totpURI: totp(factor.secret, person.email).toString(), backupCodes: factor.backupCodes };
  }

  /** Confirms the setup with its first code, and forgets the devices trusted so far. */
  async confirm(session: Session, code: string): Promise<void> {
    const { person, caller } = session;
    const pending = await this.tables.secondFactors.find(person, { pending: true });
    if (!pending) throw new Failure("resource-unknown", "No second factor is being set up; begin with its setup");
    await this.#counted(person, caller, () => this.#isAppCode(person, pending, code));
    const entry = { ...caller, ofPerson: person.id, action: "second_factor.enabled" } as const;
    const also = [this.tables.trustedDevices.forgetting(person)];
    await this.tables.secondFactors.confirm(person, pending, also, entry);
  }

  /** Does nothing if the person has none. */
  async disable({ person, caller }: Session): Promise<void> {
    const { trustedDevices, ways } = this.tables;
    const keeping = keepingWayIn(this.storage.db, person, ways, { secondFactor: true });
    const entry = { ...caller, ofPerson: person.id, action: "second_factor.disabled" } as const;
    await this.tables.secondFactors.remove(person, [trustedDevices.forgetting(person), ...keeping], entry);
  }

  async newBackupCodes({ person, caller }: Session): Promise<readonly string[]> {
    const factor = await this.#required(person);
    const backupCodes = newBackupCodes();
    const sealed = await this.#sealed(person, { ...(await this.#opened(person, factor)), backupCodes });
    const entry = { ...caller, ofPerson: person.id, action: "second_factor.backup_codes_made" } as const;
    const replacing = this.tables.secondFactors.replacing(person, factor, sealed);
    await this.storage.audit.runAudited([required(replacing, codeRefused)], [entry]);
    return backupCodes;
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
      await this.storage.audit.add({ ...caller, ofPerson: person.id, action: "sign_in.second_factor_failed" });
      throw codeRefused();
    });
  }

  /** What was sealed before 1.0.0 is sealed anew when its code is taken. */
  async #isAppCode(person: Person, factor: SecondFactorRow, code: string): Promise<boolean> {
    const opened = await this.#opened(person, factor);
    // One step of 30 seconds early or late (RFC 6238, 5.2).
    if (totp(opened.secret, person.email).validate({ token: code, window: 1 }) === null) return false;
    const isTaken = await this.tables.throttle.tryCount([[SAME_CODE, `${person.id} ${code}`]]);
    if (isTaken && isSealedBefore(factor.secret)) {
      await this.tables.secondFactors.replacing(person, factor, await this.#sealed(person, opened)).execute();
    }
    return isTaken;
  }

  /** Another code that is spent at the same time changes the same row. */
  #spendBackupCode(person: Person, code: string, caller: Caller): Promise<boolean> {
    return retryIfChanged(async () => {
      const factor = await this.#required(person);
      const { secret, backupCodes } = await this.#opened(person, factor);
      if (!backupCodes.includes(code)) return false;
      const left = backupCodes.filter((kept) => kept !== code);
      const by = { ...caller, ofPerson: person.id };
      const entry = { ...by, action: "second_factor.backup_code_used", detail: { codes_left: left.length } } as const;
      const sealed = await this.#sealed(person, { secret, backupCodes: left });
      const spending = this.tables.secondFactors.replacing(person, factor, sealed);
      await this.storage.audit.runAudited([ifUnchanged(spending)], [entry]);
      return true;
    });
  }

  async #sealed({ id }: Person, { secret, backupCodes }: OpenedFactor): Promise<SecondFactorRow> {
    const sealer = new SecretSealer(await this.secret(), "second factors");
    return {
      secret: sealer.seal(secret, id),
      backupCodes: sealer.seal(JSON.stringify(backupCodes), codesOf(id)),
    };
  }

  async #opened({ id }: Person, { secret, backupCodes }: SecondFactorRow): Promise<OpenedFactor> {
    const key = await this.secret();
    const sealer = new SecretSealer(key, "second factors", this.former);
    const open = (sealed: string, holder: string) =>
      isSealedBefore(sealed) ? openSealedBefore(key, sealed, this.former) : sealer.open(sealed, holder);
    return { secret: open(secret, id), backupCodes: JSON.parse(open(backupCodes, codesOf(id))) };
  }

  async #required(person: Person): Promise<SecondFactorRow> {
    const factor = await this.tables.secondFactors.find(person);
    if (!factor) throw new Failure("resource-unknown", "This account has no second factor");
    return factor;
  }
}

interface OpenedFactor {
  readonly secret: string;
  readonly backupCodes: readonly string[];
}

/** The codes of a person cannot be opened as their secret. */
function codesOf(personId: string): string {
  return `${personId} backup codes`;
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
