import type { AuthAnswer, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountChange, GivenProof, ProofRequest, Session, SignUpRequest } from "#core/session.ts";
import type { Storage } from "#storage/storage.ts";
import { Throttle } from "#storage/throttle.ts";
import { AccountService } from "./account-service.ts";
import { AuthRoutes } from "./auth-routes.ts";
import { MailedLinks } from "./mailed-links.ts";
import { PasskeyService } from "./passkey-service.ts";
import { Proofs } from "./proofs.ts";
import { SecondFactorService } from "./second-factor-service.ts";
import { randomSecret } from "./secrets.ts";
import { SessionService } from "./session-service.ts";
import { SignIn } from "./sign-in.ts";
import { SignInCookies } from "./sign-in-cookies.ts";
import { signInTables } from "./sign-in-tables.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";
import { TrustedDeviceService } from "./trusted-device-service.ts";

export interface AuthServiceOptions {
  readonly signup: SignUpRule;
  /** SECRET; if undefined, a secret is made once and stored in the database. */
  readonly secret: string | undefined;
  readonly observer: Pick<Observer, "failed" | "signInRefused">;
  /** True if the service sends mail. */
  readonly mail: boolean;
}

const SWEEP_INTERVAL_MS = 10 * 60_000;
const SECRET_BYTES = 48;

/** Sign-in, sessions and credentials, as the HTTP routes need them. Every method rejects with a Failure. */
export class AuthService {
  readonly mail: MailedLinks;
  readonly #parts: ReturnType<typeof wired>;
  readonly #routes: AuthRoutes;

  constructor(
    private readonly storage: Storage,
    options: AuthServiceOptions,
  ) {
    this.#parts = wired(storage, options);
    this.#routes = new AuthRoutes(this.#parts);
    this.mail = new MailedLinks(storage, this.#parts.cookies, options.mail);
  }

  readonly find = (client: ClientInfo) => this.#parts.sessions.find(client);
  readonly isSignedIn = (client: ClientInfo) => this.#parts.sessions.isSignedIn(client);
  readonly list = (session: Session) => this.#parts.sessions.list(session);
  readonly end = (session: Session, id: string) => this.#parts.sessions.end(session, id);
  readonly endOthers = (session: Session) => this.#parts.sessions.endOthers(session);
  readonly listTrustedDevices = (client: ClientInfo, session: Session) =>
    this.#parts.trustedDevices.list(client, session);
  readonly forgetTrustedDevices = (session: Session, id?: string) => this.#parts.trustedDevices.forget(session, id);
  readonly requireRecentProof = (session: Session) => this.#parts.proofs.requireRecent(session);
  readonly prove = (client: ClientInfo, session: Session, proof: ProofRequest) =>
    this.#parts.proofs.prove(client, session, proof);
  readonly newCode = () => this.#parts.signUps.newCode();
  readonly signUpProblem = (code: string | undefined) => this.#parts.signUps.problem(code);

  answer(client: ClientInfo, request: AuthRequest): Promise<AuthAnswer> {
    return this.#routes.answer(client, request);
  }

  async signUp(client: ClientInfo, form: SignUpRequest): Promise<readonly string[]> {
    const account = await this.#parts.signUps.make(client, form);
    await this.mail.verifyNew(account);
    return this.#parts.signIn.withNewAccount(client, account);
  }

  async changeAccount(client: ClientInfo, session: Session, change: AccountChange): Promise<void> {
    const { name, email, ...proof } = change;
    const changesEmail = email !== undefined && email.toLowerCase() !== session.account.email;
    if (changesEmail) await this.#parts.proofs.requireAsked(client, session, proof);
    const changed = { name, email: changesEmail ? email : undefined };
    await this.#parts.accounts.change(session.account, changed, session.source);
    if (changesEmail) await this.mail.verifyNew(session.account);
  }

  async deleteAccount(client: ClientInfo, session: Session, proof: GivenProof): Promise<void> {
    await this.#parts.proofs.requireAsked(client, session, proof);
    await this.storage.store.accounts.remove(session.account, session.source);
  }

  /** Removes expired sessions, attempts, devices and tokens, in small batches. */
  readonly job: Job = {
    name: "expired-sign-ins",
    intervalMs: SWEEP_INTERVAL_MS,
    firstDelayMs: 30_000,
    exclusive: true,
    run: async ({ now }) => ((await this.#parts.tables.expired.remove(now)) ? 0 : undefined),
  };
}

function wired(storage: Storage, { signup, secret: given, observer }: AuthServiceOptions) {
  const secret = async () => given ?? (await storedSecret());
  let stored: Promise<string> | undefined;
  const storedSecret = () => {
    stored ??= storage.store
      .keptSecret("session", () => randomSecret(SECRET_BYTES))
      .catch((error) => {
        stored = undefined;
        throw error;
      });
    return stored;
  };
  const cookies = new SignInCookies(secret);
  const tables = signInTables(storage);
  const throttle = new Throttle(storage);
  const accounts = new AccountService(storage, tables);
  const sessions = new SessionService(tables, cookies);
  const secondFactors = new SecondFactorService(tables, storage, throttle, secret);
  const passkeys = new PasskeyService(tables, throttle, cookies);
  const trustedDevices = new TrustedDeviceService(tables, cookies);
  const proofs = new Proofs(tables, throttle, secondFactors, passkeys, trustedDevices);
  const signUps = new SignUp(tables, accounts, throttle, signup);
  const parts = { tables, cookies, accounts, sessions, secondFactors, passkeys, trustedDevices, proofs, signUps };
  return { ...parts, signIn: new SignIn({ ...parts, storage, throttle, observer }) };
}
