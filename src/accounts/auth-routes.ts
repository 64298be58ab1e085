import { z } from "zod";
import { GIVEN_CODE_LENGTH_MAX, GIVEN_PASSWORD_LENGTH_MAX } from "#core/account.ts";
import type { AuthAnswer, AuthPath, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { CHALLENGES } from "#load/limits.ts";
import { limitReached, MemoryCounts } from "#load/throttle.ts";
import type { AccountService } from "./account-service.ts";
import { networkOf } from "./client.ts";
import type { PasskeyService } from "./passkey-service.ts";
import type { Proofs } from "./proofs.ts";
import type { SecondFactorService } from "./second-factor-service.ts";
import type { SessionService } from "./session-service.ts";
import type { SignIn } from "./sign-in.ts";
import type { SignInCookies } from "./sign-in-cookies.ts";

interface Parts {
  readonly accounts: AccountService;
  readonly signIn: SignIn;
  readonly sessions: SessionService;
  readonly secondFactors: SecondFactorService;
  readonly passkeys: PasskeyService;
  readonly proofs: Proofs;
  readonly cookies: SignInCookies;
}

const Password = z.string().max(GIVEN_PASSWORD_LENGTH_MAX);
const Code = z.string().trim().max(GIVEN_CODE_LENGTH_MAX);
const Proof = { password: Password.optional(), code: Code.optional() };
const Id = z.string().max(100);
const ProofMembers = z.object(Proof);
const SignInForm = z.object({ email: z.string().max(1024), password: Password, rememberMe: z.boolean().default(true) });
const CodeForm = z.object({ code: Code, trustDevice: z.boolean().default(false) });
const ChangePassword = z.object({
  currentPassword: Password.optional(),
  newPassword: Password,
  code: Code.optional(),
  revokeTokens: z.boolean().default(false),
  removePasskeys: z.boolean().default(false),
  disableWebhooks: z.boolean().default(false),
});
const PasskeyAnswer = z.object({ response: z.unknown(), name: z.string().max(1024).default("Passkey") });
const PasskeyName = z.object({ id: Id, name: z.string().max(1024) });
const PasskeyRemoval = z.object({ id: Id, ...Proof });

/** The members that differ from an empty answer without cookies. */
type Answered = Partial<AuthAnswer> | undefined;
type Route = (client: ClientInfo, body: unknown) => Promise<Answered>;

/** Serves every address under `/auth`. */
export class AuthRoutes {
  readonly #challenges = new MemoryCounts();
  readonly #routes: Readonly<Record<AuthPath, Route>> = {
    "/sign-in/email": (client, body) => this.#signIn(client, body),
    "/sign-out": async (client) => ({ cookies: await this.parts.sessions.signOut(client) }),
    "/change-password": this.#inSession((...request) => this.#changePassword(...request)),
    "/two-factor/enable": this.#proven(async (session) => ({ body: await this.parts.secondFactors.setUp(session) })),
    "/two-factor/disable": this.#proven(async (session) => void (await this.parts.secondFactors.disable(session))),
    "/two-factor/generate-backup-codes": this.#proven(async (session) => {
      return { body: { backupCodes: await this.parts.secondFactors.newBackupCodes(session) } };
    }),
    "/two-factor/verify-totp": (client, body) => this.#verifyCode(client, body),
    "/two-factor/verify-backup-code": (client, body) => this.#verifyCode(client, body),
    "/passkey/generate-register-options": this.#inSession((client, session) =>
      this.#registrationOptions(client, session),
    ),
    "/passkey/verify-registration": this.#inSession((...request) => this.#register(...request)),
    "/passkey/generate-authenticate-options": (client) => this.#authenticationOptions(client),
    "/passkey/verify-authentication": (client, body) => this.#signInWithPasskey(client, body),
    "/passkey/list-user-passkeys": this.#inSession((_, session) => this.#listPasskeys(session)),
    "/passkey/update-passkey": this.#inSession(async (_, session, body) => {
      const { id, name } = readAuthForm(PasskeyName, body);
      await this.parts.passkeys.rename(session, id, name);
      return undefined;
    }),
    "/passkey/delete-passkey": this.#inSession((...request) => this.#removePasskey(...request)),
  };

  constructor(private readonly parts: Parts) {}

  async answer(client: ClientInfo, { path, body }: AuthRequest): Promise<AuthAnswer> {
    return { body: {}, cookies: [], ...(await this.#routes[path](client, body ?? {})) };
  }

  #inSession(act: (client: ClientInfo, session: Session, body: unknown) => Promise<Answered>): Route {
    return async (client, body) => act(client, await this.parts.sessions.require(client), body);
  }

  /** Requires a proof in the form, or one that was given when asked before. */
  #proven(act: (session: Session) => Promise<Answered>): Route {
    return this.#inSession(async (client, session, body) => {
      await this.parts.proofs.requireAsked(client, session, readAuthForm(ProofMembers, body));
      return act(session);
    });
  }

  async #signIn(client: ClientInfo, body: unknown): Promise<Answered> {
    const { twoFactor, cookies } = await this.parts.signIn.withPassword(client, readAuthForm(SignInForm, body));
    return { body: { two_factor: twoFactor }, cookies };
  }

  async #changePassword(client: ClientInfo, session: Session, body: unknown): Promise<Answered> {
    const { accounts, sessions, proofs } = this.parts;
    const { currentPassword, newPassword, code, ...ended } = readAuthForm(ChangePassword, body);
    await proofs.requireAsked(client, session, { password: currentPassword, code });
    const { renewedSession, cookies } = await sessions.renewal(client, session);
    const also = { ...ended, renewedSession };
    const left = await accounts.changePassword(session.account, newPassword, also, session.source);
    const { activeTokens: active_tokens, passkeys, webhooks } = left;
    return { body: { active_tokens, passkeys, webhooks }, cookies };
  }

  /** The second step of signing in, or the first code of a second factor that is being set up. */
  async #verifyCode(client: ClientInfo, body: unknown): Promise<Answered> {
    const { signIn, sessions, proofs, secondFactors, cookies } = this.parts;
    const { code, trustDevice } = readAuthForm(CodeForm, body);
    if (await cookies.readPending(client)) return { cookies: await signIn.withCode(client, code, trustDevice) };
    const session = await sessions.require(client);
    await proofs.requireAsked(client, session, {});
    await secondFactors.confirm(session, code);
    return undefined;
  }

  async #registrationOptions(client: ClientInfo, session: Session): Promise<Answered> {
    await this.parts.proofs.requireUnspent(client, session, {});
    const { options, cookie } = await this.parts.passkeys.registrationOptions(client, session);
    return { body: options, cookies: [cookie] };
  }

  async #register(client: ClientInfo, session: Session, body: unknown): Promise<Answered> {
    const { response, name } = readAuthForm(PasskeyAnswer, body);
    const proof = await this.parts.proofs.requireUnspent(client, session, {});
    await this.parts.passkeys.register(client, session, response, name, proof);
    return { cookies: [this.parts.cookies.clear(client, "passkey")] };
  }

  async #authenticationOptions(client: ClientInfo): Promise<Answered> {
    await this.#countChallenge(networkOf(client.address), Date.now());
    const session = await this.parts.sessions.find(client);
    const { options, cookie } = await this.parts.passkeys.authenticationOptions(client, session?.account);
    return { body: options, cookies: [cookie] };
  }

  /** A challenge writes nothing, so that no store need be asked. The refusal comes late: who waits for it sends fewer. */
  async #countChallenge(network: string, now: number): Promise<void> {
    const { isAdded, endsAt } = this.#challenges.add(CHALLENGES, network, 1, now);
    if (isAdded) return;
    await Bun.sleep(CHALLENGES.lateMs);
    throw limitReached(CHALLENGES, endsAt, now);
  }

  async #signInWithPasskey(client: ClientInfo, body: unknown): Promise<Answered> {
    const { response } = readAuthForm(PasskeyAnswer, body);
    const cookies = await this.parts.signIn.withPasskey(client, response);
    return { cookies: [...cookies, this.parts.cookies.clear(client, "passkey")] };
  }

  async #listPasskeys(session: Session): Promise<Answered> {
    const passkeys = await this.parts.passkeys.list(session);
    const body = passkeys.map(({ id, name, deviceType, backedUp, createdAt }) => {
      return { id, name, deviceType, backedUp, createdAt: new Date(createdAt).toISOString() };
    });
    return { body };
  }

  async #removePasskey(client: ClientInfo, session: Session, body: unknown): Promise<Answered> {
    const { id, ...given } = readAuthForm(PasskeyRemoval, body);
    const passkey = await this.parts.passkeys.requireOwn(session, id);
    const proof = await this.parts.proofs.requireUnspent(client, session, given);
    await this.parts.passkeys.remove(session, passkey, proof);
    return undefined;
  }
}

/** Throws "member-invalid" for the first fault of the form. */
function readAuthForm<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure("member-invalid", `Cannot take "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "malformed"}`);
}
