import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { Attempts } from "./attempts.ts";
import { Auths } from "./auths.ts";
import { Directory } from "./directory.ts";
import { PASSWORD_BY_ACCOUNT } from "./limits.ts";
import { verifyPassword } from "./password.ts";
import { type Session, Sessions, type Visitor } from "./sessions.ts";
import { SignIn, type SignInAnswer, type SignInRequest } from "./sign-in.ts";
import { type NewcomersForm, SignUp, type SignUpRule } from "./sign-up.ts";

export interface GateOptions {
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
export class Gate {
  readonly #storage: Storage;
  readonly #directory: Directory;
  readonly #attempts: Attempts;
  readonly #sessions: Sessions;
  readonly #signIn: SignIn;
  readonly #signUp: SignUp;

  constructor(storage: Storage, { signup, secret }: GateOptions) {
    this.#storage = storage;
    this.#directory = new Directory(storage);
    this.#attempts = new Attempts(storage);
    const auths = new Auths(storage, this.#attempts, async () => secret ?? keptSecret(storage));
    this.#sessions = new Sessions(storage, auths);
    this.#signIn = new SignIn(storage, auths, this.#sessions, this.#attempts);
    this.#signUp = new SignUp(storage, this.#directory, this.#attempts, signup);
  }

  find(visitor: Visitor): Promise<Session | undefined> {
    return this.#sessions.find(visitor);
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

  answer(visitor: Visitor, request: SignInRequest): Promise<SignInAnswer> {
    return this.#signIn.answer(visitor, request);
  }

  newCode(): Promise<string | undefined> {
    return this.#signUp.newCode();
  }

  signUpProblem(code: string | undefined): Promise<string | undefined> {
    return this.#signUp.problem(code);
  }

  async signUp(visitor: Visitor, form: NewcomersForm): Promise<readonly string[]> {
    await this.#signUp.make(visitor.address, form);
    const { email, password } = form;
    const body = { email, password };
    const { cookies } = await this.answer(visitor, { method: "POST", path: "/sign-in/email", query: "", body });
    return cookies;
  }

  async changeAccount(session: Session, { name, email, password }: AccountChange): Promise<void> {
    if (email !== undefined) await this.#requirePassword(session, password);
    await this.#directory.change(session.account, { name, email });
  }

  async deleteAccount(session: Session, password: string): Promise<void> {
    await this.#requirePassword(session, password);
    await this.#storage.store.accounts.remove(session.account.number);
  }

  /** Removes what is over: sessions, half-done sign-ins, counted attempts. */
  async forgetOld(now: number): Promise<void> {
    await this.#sessions.forgetOld(now);
    await this.#attempts.forgetOld(now);
  }

  async #requirePassword({ account }: Session, password = ""): Promise<void> {
    await this.#attempts.count(PASSWORD_BY_ACCOUNT, account.id, Date.now());
    const { db } = this.#storage;
    const credential = db.selectFrom("credentials").select("password").where("user_id", "=", account.id);
    const row = await credential.where("provider_id", "=", "credential").executeTakeFirst();
    if (!row?.password || !(await verifyPassword(password, row.password))) {
      throw new Failure("password-refused", "The current password is wrong");
    }
    await this.#attempts.giveBack(PASSWORD_BY_ACCOUNT, account.id);
  }
}

function keptSecret({ store }: Storage): Promise<string> {
  return store.keptSecret("session", () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64url"),
  );
}
