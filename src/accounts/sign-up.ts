import { Failure } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { type AccountService, codeRefused } from "./account-service.ts";
import { SIGN_UP_BY_ADDRESS } from "./limits.ts";
import type { LoginThrottle } from "./login-throttle.ts";

export type SignUpRule = "first" | "open" | "closed";

export interface NewcomersForm {
  readonly code: string | undefined;
  readonly email: string;
  readonly password: string;
  readonly name: string | undefined;
}

/** The one row that the code of the first account waits in. */
const PLACE = 1;
const CODE_BYTES = 24;

/** Who may make an account at the dashboard (SIGNUP). */
export class SignUp {
  readonly #storage: Storage;
  readonly #accounts: AccountService;
  readonly #throttle: LoginThrottle;
  readonly #rule: SignUpRule;

  constructor(storage: Storage, accounts: AccountService, throttle: LoginThrottle, rule: SignUpRule) {
    this.#storage = storage;
    this.#accounts = accounts;
    this.#throttle = throttle;
    this.#rule = rule;
  }

  /**
   * A new code for the first account, in place of any other; undefined if it is not by a code, or there is an account.
   * Only its hash is kept.
   */
  async newCode(): Promise<string | undefined> {
    if (this.#rule !== "first" || (await this.#anyAccount())) return undefined;
    const code = Buffer.from(crypto.getRandomValues(new Uint8Array(CODE_BYTES))).toString("base64url");
    const row = { hash: codeHash(code), used_by: null };
    await this.#storage.db
      .insertInto("welcome_codes")
      .values({ place: PLACE, ...row })
      .onConflict((conflict) => conflict.column("place").doUpdateSet(row))
      .execute();
    return code;
  }

  async problem(code: string | undefined): Promise<string | undefined> {
    if (this.#rule === "open") return undefined;
    if (this.#rule === "closed") return "No accounts are made here; ask the operator of this service for one";
    if (await this.#anyAccount())
      return "There is an account already; sign in, or ask the operator for one of your own";
    const waiting = this.#storage.db
      .selectFrom("welcome_codes")
      .select("place")
      .where("hash", "=", codeHash(code ?? ""));
    return (await waiting.where("used_by", "is", null).executeTakeFirst()) ? undefined : codeRefused().message;
  }

  async make(address: string, { code, email, password, name }: NewcomersForm): Promise<void> {
    await this.#throttle.count(SIGN_UP_BY_ADDRESS, address, Date.now());
    const problem = await this.problem(code);
    if (problem) throw new Failure("sign-up-refused", problem);
    await this.#accounts.add({ email, password, name }, this.#rule === "first" ? codeHash(code ?? "") : undefined);
  }

  async #anyAccount(): Promise<boolean> {
    const first = this.#storage.db.selectFrom("accounts").select("accounts.number").limit(1);
    return (await first.executeTakeFirst()) !== undefined;
  }
}

function codeHash(code: string): string {
  return new Bun.CryptoHasher("sha256").update(code).digest("base64url");
}
