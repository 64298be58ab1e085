import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import { type GivenProof, PROOF_MS_MAX, type ProofRequest, type Session } from "#core/session.ts";
import { PASSWORD_BY_ACCOUNT } from "#load/limits.ts";
import { type Condition, required } from "#storage/database-access.ts";
import type { PasskeyService } from "./passkey-service.ts";
import { requireRoomForPassword, verifyPassword } from "./password.ts";
import { codeRefused, type SecondFactorService } from "./second-factor-service.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import type { TrustedDeviceService } from "./trusted-device-service.ts";

/**
 * Proofs that the holder of a session is the account's owner, since its cookie may have been stolen. A proof is the
 * password with the second factor, or a passkey that verified its holder, and lasts 15 minutes.
 */
export class Proofs {
  constructor(
    private readonly tables: SignInTables,
    private readonly secondFactors: SecondFactorService,
    private readonly passkeys: PasskeyService,
    private readonly trustedDevices: TrustedDeviceService,
  ) {}

  /** For creating and rolling tokens; a recent sign-in counts as a proof. */
  requireRecent({ proof }: Session): void {
    if (!isRecent(proof)) throw proofNeeded();
  }

  /**
   * For a change of the account or its credentials: requires a proof in the form, or one that was given when asked
   * before.
   */
  async requireAsked(client: ClientInfo, session: Session, given: GivenProof): Promise<void> {
    if (await this.#given(client, session, given)) return;
    if (session.proof?.kind === "sign-in" || !isRecent(session.proof)) throw proofNeeded();
  }

  /** For adding and removing a passkey: each requires a proof of its own, which the change uses up. */
  async requireUnspent(client: ClientInfo, session: Session, given: GivenProof): Promise<Condition> {
    const isProven = await this.#given(client, session, given);
    if (!isProven && !(session.proof?.kind === "asked" && isRecent(session.proof))) throw proofNeeded();
    const statement = this.tables.sessions.spending(session.id, Date.now() - PROOF_MS_MAX);
    return required(statement, proofNeeded);
  }

  /** Checks the passkey, or the password and the code, and stores the proof. Resolves with the time at which it expires. */
  async prove(client: ClientInfo, session: Session, given: ProofRequest): Promise<number> {
    if ("passkey" in given) {
      const { accountId } = await this.passkeys.authenticate(client, given.passkey);
      if (accountId === session.account.id) return this.#keep(session);
      throw new Failure("second-factor-refused", "This passkey belongs to another account");
    }
    await this.#requirePassword(session, given.password ?? "");
    if (!(await this.#hasSecondFactor(client, session, given.code))) throw codeRefused();
    return this.#keep(session);
  }

  async #keep({ id }: Session): Promise<number> {
    const now = Date.now();
    await this.tables.sessions.prove(id, now);
    return now + PROOF_MS_MAX;
  }

  /** Resolves with true if the form holds a valid proof. A wrong password is refused even after an earlier proof. */
  async #given(client: ClientInfo, session: Session, { password, code }: GivenProof): Promise<boolean> {
    if (password === undefined) return false;
    await this.#requirePassword(session, password);
    if (!(await this.#hasSecondFactor(client, session, code))) return false;
    await this.#keep(session);
    return true;
  }

  /** Requires a code unless the browser is trusted or the account has no second factor. */
  async #hasSecondFactor(client: ClientInfo, { account, source }: Session, code: string | undefined): Promise<boolean> {
    if (!account.twoFactor) return true;
    if (code === undefined) return (await this.trustedDevices.find(client, account)) !== undefined;
    await this.secondFactors.requireCode(account, code, source);
    return true;
  }

  async #requirePassword({ account, source }: Session, password: string): Promise<void> {
    requireRoomForPassword(source);
    const counted = [[PASSWORD_BY_ACCOUNT, account.id]] as const;
    await this.tables.throttle.count(counted);
    const hash = await this.tables.credentials.passwordOf(account);
    if (!(await verifyPassword(password, hash, source))) {
      throw new Failure("password-refused", "The current password is wrong");
    }
    await this.tables.throttle.giveBack(counted);
  }
}

/** False also for a proof of a clock that was far ahead, which would be recent for as long. */
function isRecent(proof: Session["proof"]): boolean {
  return proof !== undefined && Math.abs(Date.now() - proof.at) <= PROOF_MS_MAX;
}

function proofNeeded(): Failure {
  return new Failure(
    "proof-needed",
    "Confirm that it is you: the password (with a code, if the account has a second factor) or a passkey is needed first",
  );
}
