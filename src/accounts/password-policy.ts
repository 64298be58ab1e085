import { Failure } from "#core/failure.ts";
import { passwordLengthProblem } from "#core/person.ts";

/** Words that an attacker who knows this service tries first (ASVS 5, 6.1.2). */
const OF_THIS_PLACE = /^(?:plant(?:store|_store| store|-store)?|plants|dashboard|greenhouse)[\d\W_]*$/;

let common: Promise<ReadonlySet<string>> | undefined;

/**
 * Throws "member-invalid" if the password may not be used because of its length in characters, because it is among the
 * most used, or because it is the account's own e-mail address. There is no rule about its characters (NIST SP 800-63B,
 * 3.1.1.2).
 */
export async function requireGoodPassword(password: string, email: string): Promise<void> {
  const problem = passwordLengthProblem(password);
  if (problem) throw new Failure("member-invalid", `The password ${problem}`);
  const small = password.toLowerCase();
  const [localPart] = email.toLowerCase().split("@");
  const ofThisPlace = OF_THIS_PLACE.test(small) || small === email.toLowerCase() || small === localPart;
  common ??= readCommon();
  if (ofThisPlace || (await common).has(small)) {
    throw new Failure("member-invalid", "The password is one of those that are tried first; choose another");
  }
}

/** The 10,000 most used passwords of at least 8 characters, in lower case, one a line. */
async function readCommon(): Promise<ReadonlySet<string>> {
  const { default: lines } = await import("./common-passwords.txt", { with: { type: "text" } });
  return new Set(lines.trimEnd().split("\n"));
}
