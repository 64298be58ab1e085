import type { Account } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { sessionMissing } from "#core/failure.ts";
import { SIGN_IN_BY_ACCOUNT, SIGN_IN_BY_ADDRESS, SIGN_IN_BY_BOTH, SIGN_IN_BY_DEVICE } from "#load/limits.ts";
import { networkOf } from "#load/subject.ts";
import type { Counted } from "#load/throttle.ts";
import { addFailedSignIn } from "#storage/failed-sign-ins.ts";
import { entryOf, sourceOf } from "./client.ts";
import { passkeyRefused } from "./passkey-service.ts";
import { requireRoomForPassword, verifyPassword } from "./password.ts";
import { type SessionService, signInRefused } from "./session-service.ts";
import type { SignInParts } from "./sign-in-parts.ts";

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

/**
 * Signing in with a password, and a code if the account has a second factor; or with a passkey. The account's epoch is
 * read before a credential is checked, and a session is only opened in the same epoch.
 */
export class SignIn {
  constructor(private readonly parts: SignInParts) {}

  /** Gives the same answer after the same time for known and unknown accounts. */
  async withPassword(client: ClientInfo, { email, password, rememberMe }: PasswordForm): Promise<SignInOutcome> {
    const { storage, tables, observer } = this.parts;
    requireRoomForPassword(client);
    const address = email.trim().toLowerCase();
    const account = await storage.records.accounts.find({ email: address });
    const counted = await this.#counted(client, address, account);
    await tables.throttle.count(counted);
    const epoch = account && (await tables.credentials.epochOf(account.id));
    const hash = account && (await tables.credentials.passwordOf(account));
    const isRight = await verifyPassword(password, hash, client);
    if (!account || epoch === undefined || !isRight) {
      if (account) this.#enterFailure(client, account);
      else observer.signInRefused();
      throw signInRefused();
    }
    await tables.throttle.giveBack(counted);
    const method = "password";
    if (!account.twoFactor) return this.#open(client, { account, epoch, remembered: rememberMe, method });
    return this.#afterPassword(client, account, epoch, rememberMe);
  }

  /** Resolves with the cookies of the session. */
  async withCode(client: ClientInfo, code: string, trustDevice: boolean): Promise<readonly string[]> {
    const { storage, tables, cookies, sessions, secondFactors, trustedDevices } = this.parts;
    const pending = await cookies.readPending(client);
    const account = pending && (await storage.records.accounts.find({ id: pending.accountId }));
    if (!pending || !account?.twoFactor) throw sessionMissing();
    // The cookie is worthless if its browser began before a change of the password, so the code is not checked.
    if ((await tables.credentials.epochOf(account.id)) !== pending.epoch) throw sessionMissing();
    const method = await secondFactors.requireCode(account, code, sourceOf(client, account.email));
    const trusted = trustDevice ? await trustedDevices.trust(client, account) : undefined;
    const { epoch, remembered } = pending;
    const also = trusted?.statements;
    const opened = await sessions.open(client, { account, epoch, remembered, method, also });
    return trusted ? [...opened, trusted.cookie] : opened;
  }

  /** Resolves with the cookies of the session. */
  async withPasskey(client: ClientInfo, response: unknown): Promise<readonly string[]> {
    const { storage, tables, sessions, passkeys, observer } = this.parts;
    const counted = [[SIGN_IN_BY_ADDRESS, networkOf(client.address)]] as const;
    await tables.throttle.count(counted);
    const passkey = await passkeys.authenticate(client, response).catch((error) => {
      observer.signInRefused();
      throw error;
    });
    const epoch = await tables.credentials.epochOf(passkey.accountId);
    const account = await storage.records.accounts.find({ id: passkey.accountId });
    // Looked up again after the epoch, since it may have been removed with a change of the password.
    if (!account || epoch === undefined || !(await tables.passkeys.findByCredential(passkey.credentialId))) {
      throw passkeyRefused();
    }
    await tables.throttle.giveBack(counted);
    return sessions.open(client, { account, epoch, remembered: true, method: "passkey" });
  }

  async #afterPassword(client: ClientInfo, account: Account, epoch: number, remembered: boolean) {
    const { tables, sessions, trustedDevices, cookies } = this.parts;
    const device = await trustedDevices.find(client, account);
    if (device) {
      const also = [tables.trustedDevices.using(device.id, Date.now())];
      return this.#open(client, { account, epoch, remembered, method: "trusted device", also });
    }
    const ended = await sessions.signOut(client);
    const pending = await cookies.writePending(client, { accountId: account.id, epoch, remembered });
    return { twoFactor: true, cookies: [...ended, pending] };
  }

  async #open(client: ClientInfo, opening: Parameters<SessionService["open"]>[1]): Promise<SignInOutcome> {
    return { twoFactor: false, cookies: await this.parts.sessions.open(client, opening) };
  }

  /** A browser from which the account signed in before has its own limit. */
  async #counted(client: ClientInfo, email: string, account: Account | undefined): Promise<Counted> {
    const device = account && (await this.parts.cookies.knownDevice(client, account));
    if (device !== undefined) return [[SIGN_IN_BY_DEVICE, device]];
    const network = networkOf(client.address);
    return [
      [SIGN_IN_BY_ADDRESS, network],
      [SIGN_IN_BY_BOTH, `${email} ${network}`],
      [SIGN_IN_BY_ACCOUNT, email],
    ];
  }

  /** Not awaited, since the answer must not take longer for an account that exists. */
  #enterFailure(client: ClientInfo, account: Account): void {
    const { storage, observer } = this.parts;
    const detail = { method: "password" };
    const entry = entryOf({ account, source: sourceOf(client, account.email) }, "sign_in.failed", { detail });
    addFailedSignIn(storage, entry).then(
      (isEntered) => isEntered || observer.signInRefused(),
      (error: unknown) => observer.failed("audit log", error),
    );
  }
}
