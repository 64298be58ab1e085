import { z } from "zod";
import { GIVEN_CODE_LENGTH_MAX, GIVEN_PASSWORD_LENGTH_MAX } from "#core/account.ts";
import type { AuthAnswer, AuthPath } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { CHALLENGES } from "#load/limits.ts";
import { networkOf } from "#load/subject.ts";
import { limitReached, MemoryCounts } from "#load/throttle.ts";
import type { SignIn } from "./sign-in.ts";
import { oneOfEachName } from "./sign-in-cookies.ts";
import type { SignInParts } from "./sign-in-parts.ts";

const Password = z.string().max(GIVEN_PASSWORD_LENGTH_MAX);
const Code = z.string().trim().max(GIVEN_CODE_LENGTH_MAX);
const Id = z.string().max(100);
const Proof = z.object({ password: Password.optional(), code: Code.optional() });
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

/** The members that differ from an empty answer without cookies. */
type Answered = Promise<Partial<AuthAnswer>> | Promise<void>;
type Route = (client: ClientInfo, body: unknown) => Answered;
type Act<Form> = (client: ClientInfo, session: Session, form: Form) => Answered;

/** Serves every address under `/auth`. */
export class AuthRoutes {
  readonly #challenges = new MemoryCounts();
  readonly #routes: Readonly<Record<AuthPath, Route>> = {
    "/sign-in/email": async (client, body) => {
      const { twoFactor, cookies } = await this.signIn.withPassword(client, readAuthForm(SignInForm, body));
      return { body: { two_factor: twoFactor }, cookies };
    },
    "/sign-out": async (client) => ({ cookies: await this.parts.sessions.signOut(client) }),
    "/change-password": this.#inSession(ChangePassword, async (client, session, form) => {
      const { currentPassword: password, newPassword, code, ...ended } = form;
      await this.parts.proofs.requireAsked(client, session, { password, code });
      const { renewedSession, cookies } = await this.parts.sessions.renewal(client, session);
      const also = { ...ended, renewedSession };
      const left = await this.parts.accounts.changePassword(session.account, newPassword, also, session.source);
      const { activeTokens: active_tokens, passkeys, webhooks } = left;
      return { body: { active_tokens, passkeys, webhooks }, cookies };
    }),
    "/two-factor/enable": this.#proven(async (session) => ({ body: await this.parts.secondFactors.setUp(session) })),
    "/two-factor/disable": this.#proven((session) => this.parts.secondFactors.disable(session)),
    "/two-factor/generate-backup-codes": this.#proven(async (session) => {
      return { body: { backupCodes: await this.parts.secondFactors.newBackupCodes(session) } };
    }),
    "/two-factor/verify-totp": (client, body) => this.#verifyCode(client, body),
    "/two-factor/verify-backup-code": (client, body) => this.#verifyCode(client, body),
    "/passkey/generate-register-options": this.#inSession(z.unknown(), async (client, session) => {
      await this.parts.proofs.requireUnspent(client, session, {});
      const { options, cookie } = await this.parts.passkeys.registrationOptions(client, session);
      return { body: options, cookies: [cookie] };
    }),
    "/passkey/verify-registration": this.#inSession(PasskeyAnswer, async (client, session, { response, name }) => {
      const proof = await this.parts.proofs.requireUnspent(client, session, {});
      await this.parts.passkeys.register(client, session, response, name, proof);
      return { cookies: [this.parts.cookies.clear(client, "passkey")] };
    }),
    "/passkey/generate-authenticate-options": async (client) => {
      await this.#countChallenge(networkOf(client.address), performance.now());
      const session = await this.parts.sessions.find(client);
      const { options, cookie } = await this.parts.passkeys.authenticationOptions(client, session?.account);
      return { body: options, cookies: [...(session?.cookies ?? []), cookie] };
    },
    "/passkey/verify-authentication": async (client, body) => {
      const { response } = readAuthForm(PasskeyAnswer, body);
      const cookies = await this.signIn.withPasskey(client, response);
      return { cookies: [...cookies, this.parts.cookies.clear(client, "passkey")] };
    },
    "/passkey/list-user-passkeys": this.#inSession(z.unknown(), async (_, session) => {
      const passkeys = await this.parts.passkeys.list(session);
      const body = passkeys.map(({ id, name, deviceType, backedUp, createdAt }) => {
        return { id, name, deviceType, backedUp, createdAt: new Date(createdAt).toISOString() };
      });
      return { body };
    }),
    "/passkey/update-passkey": this.#inSession(PasskeyName, (_, session, { id, name }) =>
      this.parts.passkeys.rename(session, id, name),
    ),
    "/passkey/delete-passkey": this.#inSession(Proof.extend({ id: Id }), async (client, session, form) => {
      const passkey = await this.parts.passkeys.requireOwn(session, form.id);
      const proof = await this.parts.proofs.requireUnspent(client, session, form);
      await this.parts.passkeys.remove(session, passkey, proof);
    }),
  };

  constructor(
    private readonly parts: SignInParts,
    private readonly signIn: SignIn,
  ) {}

  async answer(client: ClientInfo, path: AuthPath, body: object = {}): Promise<AuthAnswer> {
    const { body: answer = {}, cookies = [] } = (await this.#routes[path](client, body)) ?? {};
    return { body: answer, cookies: oneOfEachName(cookies) };
  }

  /** The answer renews the session's cookie where that is due, unless the act sets one of its own. */
  #inSession<Form>(schema: z.ZodType<Form>, act: Act<Form>): Route {
    return async (client, body) => {
      const session = await this.parts.sessions.require(client);
      const { cookies = [], ...answered } = (await act(client, session, readAuthForm(schema, body))) ?? {};
      return { ...answered, cookies: [...session.cookies, ...cookies] };
    };
  }

  #proven(act: (session: Session) => Answered): Route {
    return this.#inSession(Proof, async (client, session, form) => {
      await this.parts.proofs.requireAsked(client, session, form);
      return (await act(session)) ?? {};
    });
  }

  /** The second step of signing in, or the first code of a second factor that is being set up. */
  async #verifyCode(client: ClientInfo, body: unknown): Promise<Partial<AuthAnswer>> {
    const { sessions, proofs, secondFactors, cookies } = this.parts;
    const { code, trustDevice } = readAuthForm(CodeForm, body);
    if (await cookies.readPending(client)) return { cookies: await this.signIn.withCode(client, code, trustDevice) };
    const session = await sessions.require(client);
    await proofs.requireAsked(client, session, {});
    await secondFactors.confirm(session, code);
    return { cookies: session.cookies };
  }

  /** A challenge writes nothing, so that no store need be asked. The refusal comes late: who waits for it sends fewer. */
  async #countChallenge(network: string, now: number): Promise<void> {
    const { isAdded, endsAt } = this.#challenges.add(CHALLENGES, network, 1, now);
    if (isAdded) return;
    await Bun.sleep(CHALLENGES.lateMs);
    throw limitReached(CHALLENGES, endsAt, now);
  }
}

/** Throws "member-invalid" for the first fault of the form. */
function readAuthForm<Form>(schema: z.ZodType<Form>, body: unknown): Form {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure("member-invalid", `Cannot take "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "malformed"}`);
}
