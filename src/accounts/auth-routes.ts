import type { AuthAnswer, AuthPath, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { CHALLENGES } from "#load/limits.ts";
import { limitReached, MemoryCounts } from "#load/throttle.ts";
import {
  ChangePassword,
  CodeForm,
  PasskeyAnswer,
  PasskeyName,
  PasskeyRemoval,
  ProofMembers,
  readAuthForm,
  SignInForm,
} from "./auth-forms.ts";
import { ChallengeCookie } from "./challenge-cookie.ts";
import { networkOf } from "./network.ts";
import type { PasskeyService } from "./passkey-service.ts";
import type { PasswordService } from "./password-service.ts";
import type { Proofs } from "./proofs.ts";
import type { SecondFactorService } from "./second-factor-service.ts";
import type { SessionService } from "./session-service.ts";
import type { SignIn } from "./sign-in.ts";
import type { SignedCookies } from "./signed-cookies.ts";

interface Parts {
  readonly signIn: SignIn;
  readonly sessions: SessionService;
  readonly secondFactors: SecondFactorService;
  readonly passkeys: PasskeyService;
  readonly proofs: Proofs;
  readonly passwords: PasswordService;
  readonly cookies: () => Promise<SignedCookies>;
}

type Route = (client: ClientInfo, body: unknown) => Promise<AuthAnswer>;

const DONE: AuthAnswer = { body: {}, cookies: [] };

/** Serves every address under `/auth`. */
export class AuthRoutes {
  readonly #parts: Parts;
  readonly #challenges = new MemoryCounts();
  readonly #routes: Readonly<Record<AuthPath, Route>> = {
    "/sign-in/email": (client, body) => this.#signIn(client, body),
    "/sign-out": async (client) => ({ body: {}, cookies: await this.#parts.sessions.signOut(client) }),
    "/change-password": (client, body) => this.#changePassword(client, body),
    "/two-factor/enable": (client, body) => this.#enableSecondFactor(client, body),
    "/two-factor/disable": (client, body) => this.#disableSecondFactor(client, body),
    "/two-factor/generate-backup-codes": (client, body) => this.#newBackupCodes(client, body),
    "/two-factor/verify-totp": (client, body) => this.#verifyCode(client, body),
    "/two-factor/verify-backup-code": (client, body) => this.#verifyCode(client, body),
    "/passkey/generate-register-options": (client) => this.#registrationOptions(client),
    "/passkey/verify-registration": (client, body) => this.#register(client, body),
    "/passkey/generate-authenticate-options": (client) => this.#authenticationOptions(client),
    "/passkey/verify-authentication": (client, body) => this.#signInWithPasskey(client, body),
    "/passkey/list-user-passkeys": (client) => this.#listPasskeys(client),
    "/passkey/update-passkey": (client, body) => this.#renamePasskey(client, body),
    "/passkey/delete-passkey": (client, body) => this.#removePasskey(client, body),
  };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  answer(client: ClientInfo, { path, body }: AuthRequest): Promise<AuthAnswer> {
    return this.#routes[path](client, body ?? {});
  }

  async #signIn(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const { twoFactor, cookies } = await this.#parts.signIn.withPassword(client, readAuthForm(SignInForm, body));
    return { body: { two_factor: twoFactor }, cookies };
  }

  async #changePassword(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const { sessions, proofs, passwords } = this.#parts;
    const session = await sessions.require(client);
    const { currentPassword, newPassword, code, ...ended } = readAuthForm(ChangePassword, body);
    await proofs.requireAsked(client, session, { password: currentPassword, code });
    const { renewedSession, cookies } = await sessions.renewal(client, session);
    const also = { ...ended, renewedSession };
    const left = await passwords.change(session.account, newPassword, also, session.source);
    const { activeTokens: active_tokens, passkeys, webhooks } = left;
    return { body: { active_tokens, passkeys, webhooks }, cookies };
  }

  async #enableSecondFactor(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    await this.#parts.proofs.requireAsked(client, session, readAuthForm(ProofMembers, body));
    return { body: await this.#parts.secondFactors.setUp(session), cookies: [] };
  }

  async #disableSecondFactor(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    await this.#parts.proofs.requireAsked(client, session, readAuthForm(ProofMembers, body));
    await this.#parts.secondFactors.disable(session);
    return DONE;
  }

  async #newBackupCodes(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    await this.#parts.proofs.requireAsked(client, session, readAuthForm(ProofMembers, body));
    return { body: { backupCodes: await this.#parts.secondFactors.newBackupCodes(session) }, cookies: [] };
  }

  /** The second step of signing in, or the first code of a second factor that is being set up. */
  async #verifyCode(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const { signIn, sessions, proofs, secondFactors } = this.#parts;
    const { code, trustDevice } = readAuthForm(CodeForm, body);
    if (await signIn.isPending(client)) {
      const { cookies } = await signIn.withCode(client, code, trustDevice);
      return { body: {}, cookies };
    }
    const session = await sessions.require(client);
    await proofs.requireAsked(client, session, {});
    await secondFactors.confirm(session, code);
    return DONE;
  }

  async #registrationOptions(client: ClientInfo): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    await this.#parts.proofs.requireUnspent(client, session, {});
    const { options, cookie } = await this.#parts.passkeys.registrationOptions(client, session);
    return { body: options, cookies: [cookie] };
  }

  async #register(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    const { response, name } = readAuthForm(PasskeyAnswer, body);
    const proof = await this.#parts.proofs.requireUnspent(client, session, {});
    await this.#parts.passkeys.register(client, session, response, name, proof);
    return { body: {}, cookies: [await this.#clearChallenge(client)] };
  }

  async #authenticationOptions(client: ClientInfo): Promise<AuthAnswer> {
    await this.#countChallenge(networkOf(client.address), Date.now());
    const session = await this.#parts.sessions.find(client);
    const { options, cookie } = await this.#parts.passkeys.authenticationOptions(client, session?.account);
    return { body: options, cookies: [cookie] };
  }

  /** A challenge writes nothing, so that no store need be asked. The refusal comes late: who waits for it sends fewer. */
  async #countChallenge(network: string, now: number): Promise<void> {
    const { isAdded, endsAt } = this.#challenges.add(CHALLENGES, network, 1, now);
    if (isAdded) return;
    await Bun.sleep(CHALLENGES.lateMs);
    throw limitReached(CHALLENGES, endsAt, now);
  }

  async #signInWithPasskey(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const { response } = readAuthForm(PasskeyAnswer, body);
    const { cookies } = await this.#parts.signIn.withPasskey(client, response);
    return { body: {}, cookies: [...cookies, await this.#clearChallenge(client)] };
  }

  async #listPasskeys(client: ClientInfo): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    const passkeys = await this.#parts.passkeys.list(session);
    const body = passkeys.map(({ id, name, deviceType, backedUp, createdAt }) => {
      return { id, name, deviceType, backedUp, createdAt: new Date(createdAt).toISOString() };
    });
    return { body, cookies: [] };
  }

  async #renamePasskey(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    const { id, name } = readAuthForm(PasskeyName, body);
    await this.#parts.passkeys.rename(session, id, name);
    return DONE;
  }

  async #removePasskey(client: ClientInfo, body: unknown): Promise<AuthAnswer> {
    const session = await this.#parts.sessions.require(client);
    const { id, ...given } = readAuthForm(PasskeyRemoval, body);
    const passkey = await this.#parts.passkeys.requireOwn(session, id);
    const proof = await this.#parts.proofs.requireUnspent(client, session, given);
    await this.#parts.passkeys.remove(session, passkey, proof);
    return DONE;
  }

  async #clearChallenge(client: ClientInfo): Promise<string> {
    return new ChallengeCookie(await this.#parts.cookies()).clear(client);
  }
}
