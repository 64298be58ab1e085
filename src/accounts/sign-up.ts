import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { SignUpRequest } from "#core/session.ts";
import { SIGN_UP_BY_ADDRESS } from "#load/limits.ts";
import { networkOf } from "#load/subject.ts";
import { codeRefused } from "./account-service.ts";
import { visitor } from "./client.ts";
import type { MailedLinks } from "./mailed-links.ts";
import { requireRoomForPassword } from "./password.ts";
import { hashOf, randomSecret } from "./secrets.ts";
import { signInRefused } from "./session-service.ts";
import type { SignInParts } from "./sign-in-parts.ts";

export type SignUpRule = "first" | "open" | "closed";

/** Creating an account at the dashboard, as SIGNUP allows it. */
export class SignUp {
  constructor(
    private readonly parts: SignInParts,
    readonly rule: SignUpRule,
    private readonly mail: MailedLinks,
  ) {}

  /**
   * A new code for the first account, which replaces any earlier one; undefined if SIGNUP does not use codes, or if
   * there is an account. Only its hash is stored.
   */
  async newCode(): Promise<string | undefined> {
    const { credentials } = this.parts.tables;
    if (this.rule !== "first" || (await credentials.anyAccount())) return undefined;
    const code = randomSecret();
    await credentials.putFirstCode(codeHash(code));
    return code;
  }

  /** The reason, as a sentence, why no account can be created with this code; undefined if one can. */
  async problem(code: string | undefined): Promise<string | undefined> {
    if (this.rule === "open") return undefined;
    if (this.rule === "closed") return "No accounts are made here; ask the operator of this service for one";
    const { credentials } = this.parts.tables;
    if (await credentials.anyAccount()) {
      return "There is an account already; sign in, or ask the operator for one of your own";
    }
    return (await credentials.isFirstCode(codeHash(code ?? ""))) ? undefined : codeRefused().message;
  }

  /** Creates an account, has its address verified by mail, and signs it in. */
  async make(
    client: ClientInfo,
    { code, email, password, name }: SignUpRequest,
  ): Promise<{ person: Person; cookies: readonly string[] }> {
    requireRoomForPassword(client);
    const { tables, accounts, sessions } = this.parts;
    await tables.throttle.count([[SIGN_UP_BY_ADDRESS, networkOf(client.address)]]);
    const problem = await this.problem(code);
    if (problem) throw new Failure("sign-up-refused", problem);
    const hash = this.rule === "first" ? codeHash(code ?? "") : undefined;
    const by = visitor(client, email.toLowerCase());
    const person = await accounts.add({ email, password, name }, by, hash);
    await this.mail.verifyNew(person);
    const epoch = await tables.credentials.epochOf(person.id);
    if (epoch === undefined) throw signInRefused();
    // The limits of signing in do not apply, so that attempts of others cannot keep its holder out.
    return { person, cookies: await sessions.open(client, { person, epoch, remembered: true, method: "password" }) };
  }
}

function codeHash(code: string): string {
  return Buffer.from(hashOf(code)).toString("base64url");
}
