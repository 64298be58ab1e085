import type { ClientInfo } from "#core/client-info.ts";
import { comparedEmail } from "#core/email-address.ts";
import { sessionMissing } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import { signInRefused } from "#core/session.ts";
import { networkOf } from "#load/counted-as.ts";
import { GUESSES, LATE_REFUSALS, QUARTER } from "#load/limit-groups.ts";
import { type Counted, countOrRefuseLate, MemoryCounts } from "#load/throttle.ts";
import { addFailedSignIn } from "#storage/failed-sign-ins.ts";
import { callerOf } from "./client.ts";
import { passkeyRefused } from "./passkey-service.ts";
import { requireRoomForPassword, verifyPassword } from "./password.ts";
import { type Opening, providerRequired } from "./session-service.ts";
import type { SignInParts } from "./sign-in-parts.ts";

/** They write nothing. */
const CHALLENGES = LATE_REFUSALS.row("passkey challenges", "network", {
  max: 120,
  windowSeconds: 60,
  lateMs: 1000,
  refusal: "Too many requests",
});
/** Refused attempts. Successful ones are not counted. */
export const SIGN_IN_BY_ADDRESS = GUESSES.row("sign-in by address", "network", { max: 40, ...QUARTER });
/** Bounds the attempts from all addresses together. Passkeys and browsers that signed in before are exempt. */
const SIGN_IN_BY_ACCOUNT = GUESSES.row("sign-in by account", "mail address", { max: 20, ...QUARTER });
export const SIGN_IN_BY_BOTH = GUESSES.row("sign-in by account and address", "mail address from one network", {
  max: 10,
  ...QUARTER,
});
/** A browser that signed in before has attempts of its own, which strangers cannot use up. */
export const SIGN_IN_BY_DEVICE = GUESSES.row("sign-in by device", "browser", { max: 10, ...QUARTER });

interface PasswordForm {
  readonly email: string;
  readonly password: string;
  readonly rememberMe: boolean;
}

interface SignInOutcome {
  /** True if a code is still required, and no session is open yet. */
  readonly twoFactor: boolean;
  readonly cookies: readonly string[];
}

const REFUSED = { outcome: "refused" };

/**
 * Signing in with a password, and a code if the account has a second factor; or with a passkey. The account's epoch is
 * read before a credential is checked, and a session is only opened in the same epoch.
 */
export class SignIn {
  readonly #challenges = new MemoryCounts();

  /** `asksProvider`: only owners sign in by password or passkey, and by password only with a second factor. */
  constructor(
    private readonly parts: SignInParts,
    private readonly asksProvider: boolean,
  ) {}

  /** Gives the same answer after the same time for known and unknown accounts. */
  async withPassword(client: ClientInfo, { email, password, rememberMe }: PasswordForm): Promise<SignInOutcome> {
    const { storage, tables, observer } = this.parts;
    requireRoomForPassword(client);
    const address = comparedEmail(email);
    const person = await storage.records.people.find({ email: address });
    const counted = await this.#counted(client, address, person);
    const known = await tables.throttle.attempt(counted, async () => {
      const epoch = person && (await tables.credentials.epochOf(person.id));
      const hash = person && (await tables.credentials.passwordOf(person));
      const isRight = await verifyPassword(password, hash, client);
      if (person && epoch !== undefined && isRight) return { person, epoch };
      if (person) this.#enterFailure(client, person);
      else observer.count("plantstore_sign_ins_total", REFUSED);
      throw signInRefused();
    });
    // Said only now, so that nobody learns who is an owner.
    await this.#requireAllowed(known.person, known.person.twoFactor);
    const opening = { ...known, remembered: rememberMe };
    if (known.person.twoFactor) return this.#afterPassword(client, opening);
    return this.#open(client, { ...opening, method: "password" });
  }

  /** True if the browser has given the password, and the code is missing. */
  async awaitsCode(client: ClientInfo): Promise<boolean> {
    return (await this.parts.cookies.readPending(client)) !== undefined;
  }

  /** Resolves with the cookies of the session. */
  async withCode(client: ClientInfo, code: string, trustDevice: boolean): Promise<readonly string[]> {
    const { storage, tables, cookies, sessions, secondFactors, trustedDevices } = this.parts;
    const pending = await cookies.readPending(client);
    const person = pending && (await storage.records.people.find({ id: pending.personId }));
    if (!pending || !person?.twoFactor) throw sessionMissing();
    // The cookie is worthless if its browser began before a change of the password, so the code is not checked.
    if ((await tables.credentials.epochOf(person.id)) !== pending.epoch) throw sessionMissing();
    const method = await secondFactors.requireCode(person, code, callerOf(client, person));
    // They may have ceased to be an owner since the password was checked.
    await this.#requireAllowed(person, true);
    const trusted = trustDevice ? await trustedDevices.trust(client, person) : undefined;
    const { epoch, remembered } = pending;
    const also = trusted?.statements;
    const opened = await sessions.open(client, { person, epoch, remembered, method, also });
    return trusted ? [...opened, trusted.cookie] : opened;
  }

  /**
   * A challenge for signing in, or for proving that the session's holder is its person. It writes nothing, so no store's rate
   * is checked.
   */
  async passkeyChallenge(client: ClientInfo) {
    await countOrRefuseLate(this.#challenges, CHALLENGES, networkOf(client.address));
    const session = await this.parts.sessions.find(client);
    const { options, cookie } = await this.parts.passkeys.authenticationOptions(client, session?.person);
    return { options, cookies: [...(session?.cookies ?? []), cookie] };
  }

  /** Resolves with the cookies of the session. */
  async withPasskey(client: ClientInfo, response: unknown): Promise<readonly string[]> {
    const { storage, tables, cookies, sessions, passkeys, observer } = this.parts;
    const known = await tables.throttle.attempt([[SIGN_IN_BY_ADDRESS, networkOf(client.address)]], async () => {
      const passkey = await passkeys.authenticate(client, response).catch((error) => {
        observer.count("plantstore_sign_ins_total", REFUSED);
        throw error;
      });
      const epoch = await tables.credentials.epochOf(passkey.personId);
      const person = await storage.records.people.find({ id: passkey.personId });
      // Looked up again after the epoch, since it may have been removed with a change of the password.
      if (!person || epoch === undefined || !(await tables.passkeys.findByCredential(passkey.credentialId))) {
        throw passkeyRefused();
      }
      return { person, epoch };
    });
    await this.#requireAllowed(known.person, true);
    const opened = await sessions.open(client, { ...known, remembered: true, method: "passkey" });
    return [...opened, cookies.clear(client, "passkey")];
  }

  /** Throws "provider-required". */
  async #requireAllowed(person: Person, hasSecondFactor: boolean): Promise<void> {
    if (!this.asksProvider) return;
    const stores = await this.parts.storage.records.members.storesOf(person);
    if (hasSecondFactor && stores.some(({ role }) => role === "owner")) return;
    this.parts.observer.count("plantstore_sign_ins_total", REFUSED);
    throw providerRequired();
  }

  async #afterPassword(client: ClientInfo, opening: Omit<Opening, "method">): Promise<SignInOutcome> {
    const { tables, sessions, trustedDevices, cookies } = this.parts;
    const { person, epoch, remembered } = opening;
    const device = await trustedDevices.find(client, person);
    if (device) {
      const also = [tables.trustedDevices.using(device.id, Date.now())];
      return this.#open(client, { ...opening, method: "trusted device", also });
    }
    const ended = await sessions.signOut(client);
    const pending = await cookies.writePending(client, { personId: person.id, epoch, remembered });
    return { twoFactor: true, cookies: [...ended, pending] };
  }

  async #open(client: ClientInfo, opening: Opening): Promise<SignInOutcome> {
    return { twoFactor: false, cookies: await this.parts.sessions.open(client, opening) };
  }

  /** A browser from which the account signed in before has its own limit. */
  async #counted(client: ClientInfo, email: string, person: Person | undefined): Promise<Counted> {
    const device = person && (await this.parts.cookies.knownDevice(client, person));
    if (device !== undefined) return [[SIGN_IN_BY_DEVICE, device]];
    const network = networkOf(client.address);
    return [
      [SIGN_IN_BY_ADDRESS, network],
      [SIGN_IN_BY_BOTH, `${email} ${network}`],
      [SIGN_IN_BY_ACCOUNT, email],
    ];
  }

  /** Callers do not await it: the answer must not take longer for an account that exists. */
  #enterFailure(client: ClientInfo, person: Person): void {
    const { storage, observer } = this.parts;
    const detail = { method: "password" };
    const act = { ...callerOf(client, person), action: "sign_in.failed", detail } as const;
    addFailedSignIn(storage, person.id, act).then(
      (isEntered) => isEntered || observer.count("plantstore_sign_ins_total", REFUSED),
      (error: unknown) => observer.failed("audit log", error),
    );
  }
}
