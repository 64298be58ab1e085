import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import {
  type GivenProof,
  PROOF_MS_MAX,
  type ProofNeeded,
  type ProofRequest,
  proofNeeded,
  type Session,
} from "#core/session.ts";
import { GUESSES, QUARTER } from "#load/limit-groups.ts";
import { codeRefused } from "#storage/sign-in/second-factors.ts";
import type { PasskeyService } from "./passkey-service.ts";
import { requireRoomForPassword, verifyPassword } from "./password.ts";
import type { SecondFactorService } from "./second-factor-service.ts";
import type { SignInTables } from "./sign-in-tables.ts";
import type { TrustedDeviceService } from "./trusted-device-service.ts";

/** Limits password guessing with a stolen session. */
export const PASSWORD_BY_ACCOUNT = GUESSES.row("password by account", "person", { max: 10, ...QUARTER });

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

  /**
   * Throws "proof-needed" unless there is a proof of that kind: `recent`, for which a sign-in counts; `asked`, in the form
   * or when asked before; or `unspent`, likewise, which the act then spends (`spentProof`).
   */
  async require(kind: ProofNeeded, client: ClientInfo, session: Session, given: GivenProof): Promise<void> {
    if (kind !== "recent" && (await this.#given(client, session, given))) return;
    const { proof } = session;
    const isEnough = kind === "recent" || proof.kind === "asked" || (kind === "asked" && proof.kind === "spent");
    if (!isEnough || !isRecent(proof)) throw proofNeeded();
  }

  /** Checks the passkey, or the password and the code, and stores the proof. Resolves with the time at which it expires. */
  async prove(client: ClientInfo, session: Session, given: ProofRequest): Promise<number> {
    if ("passkey" in given) {
      const { personId } = await this.passkeys.authenticate(client, given.passkey);
      if (personId === session.person.id) return this.keep(session);
      throw new Failure("second-factor-refused", "This passkey belongs to another account");
    }
    await this.#requirePassword(session, given.password ?? "");
    if (!(await this.#hasSecondFactor(client, session, given.code))) throw codeRefused();
    return this.keep(session);
  }

  /** Stores a proof that was checked. Resolves with the time at which it expires. */
  async keep({ id }: Pick<Session, "id">): Promise<number> {
    const now = Date.now();
    await this.tables.sessions.prove(id, now);
    return now + PROOF_MS_MAX;
  }

  /** Resolves with true if the form holds a valid proof. A wrong password is refused even after an earlier proof. */
  async #given(client: ClientInfo, session: Session, { password, code }: GivenProof): Promise<boolean> {
    if (password === undefined) return false;
    await this.#requirePassword(session, password);
    if (!(await this.#hasSecondFactor(client, session, code))) return false;
    await this.keep(session);
    return true;
  }

  /** Requires a code unless the browser is trusted or the account has no second factor. */
  async #hasSecondFactor(client: ClientInfo, { person, caller }: Session, code: string | undefined): Promise<boolean> {
    if (!person.twoFactor) return true;
    if (code === undefined) return (await this.trustedDevices.find(client, person)) !== undefined;
    await this.secondFactors.requireCode(person, code, caller);
    return true;
  }

  async #requirePassword({ person, caller }: Session, password: string): Promise<void> {
    requireRoomForPassword(caller);
    await this.tables.throttle.attempt([[PASSWORD_BY_ACCOUNT, person.id]], async () => {
      const hash = await this.tables.credentials.passwordOf(person);
      if (await verifyPassword(password, hash, caller)) return;
      throw new Failure("password-refused", "The current password is wrong");
    });
  }
}

/** False also for a proof of a clock that was far ahead, which would be recent for as long. */
function isRecent(proof: Session["proof"]): boolean {
  return Math.abs(Date.now() - proof.at) <= PROOF_MS_MAX;
}
