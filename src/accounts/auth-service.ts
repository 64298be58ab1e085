import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { AccountService } from "./account-service.ts";
import { Auths } from "./auths.ts";
import { PASSWORD_BY_ACCOUNT } from "./limits.ts";
import { LoginThrottle } from "./login-throttle.ts";
import { verifyPassword } from "./password.ts";
import { type ClientInfo, type Session, Sessions } from "./sessions.ts";
import { SignIn, type SignInAnswer, type SignInRequest } from "./sign-in.ts";
import { type NewcomersForm, SignUp, type SignUpRule } from "./sign-up.ts";

export interface AuthServiceOptions {
  readonly signup: SignUpRule;
  /** SECRET, or undefined: then one is made once and kept in the database. */
  readonly secret: string | undefined;
}

interface AccountChange {
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly password: string | undefined;
}

/** All that stands between a browser and an account. */
export class AuthService {
  readonly #storage: Storage;
  readonly #accounts: AccountService;
  readonly #throttle: LoginThrottle;
  readonly #sessions: Sessions;
  readonly #signIn: SignIn;
  readonly #signUp: SignUp;

  constructor(storage: Storage, { signup, secret }: AuthServiceOptions) {
    this.#storage = storage;
    this.#accounts = new AccountService(storage);
    this.#throttle = new LoginThrottle(storage);
    const auths = new Auths(storage, this.#throttle, async () => secret ?? keptSecret(storage));
    this.#sessions = new Sessions(storage, auths);
    this.#signIn = new SignIn(storage, auths, this.#sessions, this.#throttle);
    this.#signUp = new SignUp(storage, this.#accounts, this.#throttle, signup);
  }

  find(client: ClientInfo): Promise<Session | undefined> {
    return this.#sessions.find(client);
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

  answer(client: ClientInfo, request: SignInRequest): Promise<SignInAnswer> {
    return this.#signIn.answer(client, request);
  }

  newCode(): Promise<string | undefined> {
    return this.#signUp.newCode();
  }

  signUpProblem(code: string | undefined): Promise<string | undefined> {
    return this.#signUp.problem(code);
  }

  async signUp(client: ClientInfo, form: NewcomersForm): Promise<readonly string[]> {
    await this.#signUp.make(client.address, form);
    const { email, password } = form;
    const body = { email, password };
    const { cookies } = await this.answer(client, { method: "POST", path: "/sign-in/email", query: "", body });
    return cookies;
  }

  async changeAccount(session: Session, { name, email, password }: AccountChange): Promise<void> {
    if (email !== undefined) await this.#requirePassword(session, password);
    await this.#accounts.change(session.account, { name, email });
  }

  async deleteAccount(session: Session, password: string): Promise<void> {
    await this.#requirePassword(session, password);
    await this.#storage.store.accounts.remove(session.account.number);
  }

  /** Removes what is over: sessions, half-done sign-ins, counted attempts. */
  async forgetOld(now: number): Promise<void> {
    await this.#sessions.forgetOld(now);
    await this.#throttle.forgetOld(now);
  }

  async #requirePassword({ account }: Session, password = ""): Promise<void> {
    await this.#throttle.count(PASSWORD_BY_ACCOUNT, account.id, Date.now());
    const { db } = this.#storage;
    const credential = db.selectFrom("credentials").select("password").where("user_id", "=", account.id);
    const row = await credential.where("provider_id", "=", "credential").executeTakeFirst();
    if (!row?.password || !(await verifyPassword(password, row.password))) {
      throw new Failure("password-refused", "The current password is wrong");
    }
    await this.#throttle.giveBack(PASSWORD_BY_ACCOUNT, account.id);
  }
}

function keptSecret({ store }: Storage): Promise<string> {
  return store.keptSecret("session", () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64url"),
  );
}
