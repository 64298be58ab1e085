import { parseEmail } from "#core/email-address.ts";
import { PERSON_NAME_LENGTH_MAX } from "#core/person.ts";
import { isStorableText } from "#core/text.ts";

/** Members of the ID token or of the answer of userinfo (OpenID Connect Core 1.0, 5.1), which may hold anything. */
export type Claims = Readonly<Record<string, unknown>>;

/** The name of a claim, or the path to it in objects; `text` is one for people. */
export interface ClaimName {
  readonly text: string;
  readonly path: readonly string[];
}

export const EMAIL: ClaimName = claimNamed("email");
/** The claims by which a person is made. */
export const CLAIMS_OF_PERSON: readonly ClaimName[] = [EMAIL, claimNamed("email_verified"), claimNamed("name")];

/** An address that an account may have. */
interface ProvidedAddress {
  readonly email: string;
  readonly isVerified: boolean;
}

/** The claims about the provider's user: those of the ID token, and those of userinfo that the ID token lacks. */
export class ProvidedClaims {
  readonly #sources: readonly Claims[];

  constructor(
    readonly subject: string,
    private readonly idToken: Claims,
    userinfo: Claims = {},
  ) {
    this.#sources = [idToken, userinfo];
  }

  /** The time at which the provider last asked its user, in milliseconds since 1970; undefined if it does not say. */
  get askedAt(): number | undefined {
    const { auth_time: seconds } = this.idToken;
    return typeof seconds === "number" ? seconds * 1000 : undefined;
  }

  /** Undefined if the claim is missing. */
  find({ path, text }: ClaimName): unknown {
    const found = this.#sources.map((source) => memberAt(source, [text]) ?? memberAt(source, path));
    return found.find((value) => value !== undefined && value !== null);
  }

  /** True if the provider has values of the claim and did not send them, such as too many groups (Core 1.0, 5.6.2). */
  isWithheld(claim: ClaimName): boolean {
    if (this.find(claim) !== undefined) return false;
    const names = [claim.text, claim.path[0] ?? ""];
    return this.#sources.some((source) => names.some((name) => memberAt(source, ["_claim_names", name]) !== undefined));
  }

  /** Undefined if no source says one that could be an account's. It is verified only where a source says that of this address. */
  get address(): ProvidedAddress | undefined {
    const said = this.#sources.flatMap(({ email, email_verified }) => {
      const address = typeof email === "string" ? parseEmail(email) : undefined;
      return address === undefined ? [] : [{ email: address, verified: email_verified }];
    });
    const [first] = said;
    if (!first) return undefined;
    const verified = said.find((each) => each.email === first.email && each.verified !== undefined)?.verified;
    return { email: first.email, isVerified: verified === true };
  }

  /** Undefined if the provider says none that can be kept. */
  get name(): string | undefined {
    const name = this.find(claimNamed("name"));
    const text = typeof name === "string" && isStorableText(name) ? name.trim() : "";
    return [...text].slice(0, PERSON_NAME_LENGTH_MAX).join("") || undefined;
  }
}

function claimNamed(text: string): ClaimName {
  return { text, path: [text] };
}

function memberAt(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
