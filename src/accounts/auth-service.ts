import type { Account } from "#core/account.ts";
import type { AuthAnswer, AuthRequest } from "#core/auth.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountChange, GivenProof, ProofRequest, Session, SignUpRequest } from "#core/session.ts";
import type { Storage } from "#storage/storage.ts";
import { Throttle } from "#storage/throttle.ts";
import { AccountService } from "./account-service.ts";
import { AuthRoutes } from "./auth-routes.ts";
import { MailService } from "./mail-service.ts";
import { PasskeyService } from "./passkey-service.ts";
import { PasswordService } from "./password-service.ts";
import { Proofs } from "./proofs.ts";
import { SecondFactorService } from "./second-factor-service.ts";
import { SessionService } from "./session-service.ts";
import { SignIn } from "./sign-in.ts";
import { SignInTables } from "./sign-in-tables.ts";
import { SignUp, type SignUpRule } from "./sign-up.ts";
import { SignedCookies } from "./signed-cookies.ts";
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

/** Sign-in, sessions and credentials, as the HTTP routes need them. Every method rejects with a Failure. */
export class AuthService {
  readonly #storage: Storage;
  readonly #tables: SignInTables;
  readonly #accounts: AccountService;
  readonly #sessions: SessionService;
  readonly #proofs: Proofs;
  readonly #passkeys: PasskeyService;
  readonly #trustedDevices: TrustedDeviceService;
  readonly #signUp: SignUp;
  readonly mail: MailService;
  readonly #signIn: SignIn;
  readonly #routes: AuthRoutes;

  constructor(storage: Storage, { signup, secret: given, observer, mail }: AuthServiceOptions) {
    let kept: Promise<string> | undefined;
    const secret = () => {
      kept ??= Promise.resolve(given ?? keptSecret(storage));
      kept.catch(() => {
        kept = undefined;
      });
      return kept;
    };
    const cookies = async () => new SignedCookies(await secret());
    const tables = new SignInTables(storage);
    const throttle = new Throttle(storage);
    const sessions = new SessionService(tables, cookies);
    const secondFactors = new SecondFactorService(tables, storage, throttle, secret);
    const passkeys = new PasskeyService(tables, throttle, cookies);
    const trustedDevices = new TrustedDeviceService(tables, cookies);
    const proofs = new Proofs(tables, throttle, secondFactors, trustedDevices);
    const passwords = new PasswordService(tables);
    const parts = { storage, tables, throttle, sessions, secondFactors, passkeys, trustedDevices, cookies, observer };
    this.#storage = storage;
    this.#tables = tables;
    this.#accounts = new AccountService(storage);
    this.#sessions = sessions;
    this.#proofs = proofs;
    this.#passkeys = passkeys;
    this.#trustedDevices = trustedDevices;
    this.mail = new MailService(storage, throttle, cookies, mail);
    this.#signIn = new SignIn(parts);
    this.#signUp = new SignUp(tables, this.#accounts, throttle, signup);
    this.#routes = new AuthRoutes({
      signIn: this.#signIn,
      sessions,
      secondFactors,
      passkeys,
      proofs,
      passwords,
      cookies,
    });
  }

  find(client: ClientInfo): Promise<Session | undefined> {
    return this.#sessions.find(client);
  }

  isSignedIn(client: ClientInfo): Promise<boolean> {
    return this.#sessions.isSignedIn(client);
  }

  list(session: Session) {
    return this.#sessions.list(session);
  }

  end(session: Session, id: string): Promise<boolean> {
    return this.#sessions.end(session, id);
  }

  endOthers(session: Session): Promise<void> {
    return this.#sessions.endOthers(session);
  }

  listTrustedDevices(client: ClientInfo, session: Session) {
    return this.#trustedDevices.list(client, session);
  }

  /** Forgets one device, or all. Resolves with the number of devices. */
  forgetTrustedDevices(session: Session, id?: string): Promise<number> {
    return this.#trustedDevices.forget(session, id);
  }

  answer(client: ClientInfo, request: AuthRequest): Promise<AuthAnswer> {
    return this.#routes.answer(client, request);
  }

  requireRecentProof(session: Session): void {
    this.#proofs.requireRecent(session);
  }

  /** Resolves with the time at which the proof expires. */
  async prove(client: ClientInfo, session: Session, proof: ProofRequest): Promise<number> {
    if (!("passkey" in proof)) return this.#proofs.prove(client, session, proof);
    const { accountId } = await this.#passkeys.authenticate(client, proof.passkey);
    if (accountId !== session.account.id) {
      throw new Failure("second-factor-refused", "This passkey belongs to another account");
    }
    return this.#proofs.keep(session);
  }

  newCode(): Promise<string | undefined> {
    return this.#signUp.newCode();
  }

  signUpProblem(code: string | undefined): Promise<string | undefined> {
    return this.#signUp.problem(code);
  }

  async signUp(client: ClientInfo, form: SignUpRequest): Promise<readonly string[]> {
    const account = await this.#signUp.make(client, form);
    await this.mail.verifyNew(account);
    return this.#signIn.withNewAccount(client, account);
  }

  /** Changing the e-mail address requires a proof. */
  async changeAccount(
    client: ClientInfo,
    session: Session,
    { name, email, password, code }: AccountChange,
  ): Promise<void> {
    const changesEmail = email !== undefined && email.toLowerCase() !== session.account.email;
    if (changesEmail) await this.#proofs.requireAsked(client, session, { password, code });
    await this.#accounts.change(session.account, { name, email: changesEmail ? email : undefined }, session.source);
    if (changesEmail) await this.mail.verifyNew(session.account);
  }

  async deleteAccount(client: ClientInfo, session: Session, proof: GivenProof): Promise<void> {
    await this.#proofs.requireAsked(client, session, proof);
    await this.#storage.store.accounts.remove(session.account, session.source);
  }

  findAccount(id: string): Promise<Account | undefined> {
    return this.#storage.store.accounts.findById(id);
  }

  /** Removes expired sessions, attempts, devices and tokens, in small batches. */
  readonly job: Job = {
    name: "expired-sign-ins",
    intervalMs: SWEEP_INTERVAL_MS,
    firstDelayMs: 30_000,
    exclusive: true,
    run: async ({ now }) => ((await this.#tables.expired.remove(now)) ? 0 : undefined),
  };
}

function keptSecret({ store }: Storage): Promise<string> {
  return store.keptSecret("session", () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64url"),
  );
}
