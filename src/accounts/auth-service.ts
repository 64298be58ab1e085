import type { AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { Job } from "#core/job.ts";
import type { AccountChange, GivenProof, ProofRequest, Session, SignUpRequest } from "#core/session.ts";
import type { Storage } from "#storage/storage.ts";
import { AuthRoutes } from "./auth-routes.ts";
import { MailedLinks } from "./mailed-links.ts";
import { SignIn } from "./sign-in.ts";
import { type SignInOptions, type SignInParts, signInParts } from "./sign-in-parts.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";

export interface AuthServiceOptions extends SignInOptions {
  readonly signup: SignUpRule;
  /** True if the service sends mail. */
  readonly mail: boolean;
}

/** Sign-in, sessions and credentials, as the HTTP routes need them. Every method rejects with a Failure. */
export class AuthService {
  readonly mail: MailedLinks;
  readonly #parts: SignInParts;
  readonly #signIn: SignIn;
  readonly #signUps: SignUp;
  readonly #routes: AuthRoutes;

  constructor(storage: Storage, options: AuthServiceOptions) {
    this.#parts = signInParts(storage, options);
    this.#signIn = new SignIn(this.#parts);
    this.#signUps = new SignUp(this.#parts, options.signup);
    this.#routes = new AuthRoutes(this.#parts, this.#signIn);
    this.mail = new MailedLinks(this.#parts, options.mail);
  }

  readonly answer = (client: ClientInfo, request: AuthRequest) => this.#routes.answer(client, request);
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
  readonly newCode = () => this.#signUps.newCode();
  readonly signUpProblem = (code: string | undefined) => this.#signUps.problem(code);

  async signUp(client: ClientInfo, form: SignUpRequest): Promise<readonly string[]> {
    const account = await this.#signUps.make(client, form);
    await this.mail.verifyNew(account);
    return this.#signIn.withNewAccount(client, account);
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
    await this.#parts.storage.store.accounts.remove(session.account, session.source);
  }

  /** Removes expired sessions, attempts, devices and tokens, in small batches. */
  readonly job: Job = {
    name: "expired-sign-ins",
    intervalMs: 10 * 60_000,
    firstDelayMs: 30_000,
    exclusive: true,
    run: async ({ now }) => ((await this.#parts.tables.expired.remove(now)) ? 0 : undefined),
  };
}
