import { timingSafeEqual } from "node:crypto";
import { type ClientInfo, isSecure } from "#core/client-info.ts";
import type { Person } from "#core/person.ts";
import type { ProviderPurpose } from "#core/session.ts";
import { THREAD_TIME } from "#load/limit-groups.ts";

/** Browsers send the four that are written here, and what other services under the same name have set. */
const COOKIE = THREAD_TIME.row("characters of Cookie", "request", { each: 8 * 1024 }, "it counts as none");

export type CookieName = "session_token" | "two_factor" | "passkey" | ProviderCookie | "trusted_device" | "device";
/** Named after the state of the beginning, so that each window has its own. */
type ProviderCookie = `provider-${string}`;
type BriefCookie = "passkey" | "two_factor" | ProviderCookie;
export type ChallengePurpose = "sign in" | "register";

/** A sign-in with the right password whose second factor has not been checked yet. */
export interface PendingSignIn {
  readonly personId: string;
  /** The account's epoch when the password was checked; a change of the password makes this sign-in invalid. */
  readonly epoch: number;
  readonly remembered: boolean;
}

/** A sign-in begun at the identity provider, which the answer must fit. No member has a colon, and the state is 43 characters of base64url. */
export interface BegunAtProvider {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly purpose: ProviderPurpose;
  /** The session that began it; "" for a sign-in. */
  readonly sessionId: string;
}

/** The cookies of what is under way. */
const BRIEF_AGE_SECONDS = { passkey: 5 * 60, other: 10 * 60 } as const;
const BEGUN_MAX = 5;
const DEVICE_AGE_SECONDS = 400 * 86_400;

/**
 * Cookies signed with SECRET (HMAC-SHA-256). With HTTPS they are `__Host-` and Secure, so that no other host of the
 * domain can set them. The signature includes the name, so one cookie cannot pass for another.
 */
export class SignInCookies {
  constructor(
    private readonly secret: () => Promise<string>,
    /** Another by which cookies may be signed. */
    private readonly former?: string,
  ) {}

  /** The value of the cookie if its signature is valid. */
  async read({ headers, origin }: ClientInfo, name: CookieName): Promise<string | undefined> {
    const sent = sentValue(headers.get("cookie") ?? "", fullName(origin, name));
    const end = sent.lastIndexOf(".");
    if (end < 1) return undefined;
    const value = sent.slice(0, end);
    const given = Buffer.from(sent.slice(end + 1));
    const secrets = [await this.secret(), ...(this.former === undefined ? [] : [this.former])];
    const isSigned = secrets.some((secret) => {
      const expected = Buffer.from(signature(secret, name, value));
      return expected.length === given.length && timingSafeEqual(expected, given);
    });
    return isSigned ? value : undefined;
  }

  /** A `Set-Cookie` line. Without `ageSeconds` the cookie ends with the browser. */
  async write({ origin }: ClientInfo, name: CookieName, value: string, ageSeconds?: number): Promise<string> {
    return line(origin, name, `${value}.${signature(await this.secret(), name, value)}`, ageSeconds);
  }

  clear({ origin }: ClientInfo, name: CookieName): string {
    return line(origin, name, "", 0);
  }

  /** A passkey's challenge is stored in a cookie, so that anonymous requests for challenges write nothing. */
  writeChallenge(client: ClientInfo, challenge: string, purpose: ChallengePurpose): Promise<string> {
    return this.#writeBrief(client, "passkey", [challenge, purpose]);
  }

  async readChallenge(client: ClientInfo, purpose: ChallengePurpose): Promise<string | undefined> {
    const [challenge, given] = await this.#readBrief(client, "passkey");
    return given === purpose ? challenge : undefined;
  }

  /** The cookie is useless without a code. */
  writePending(client: ClientInfo, { personId, epoch, remembered }: PendingSignIn): Promise<string> {
    return this.#writeBrief(client, "two_factor", [personId, epoch, Number(remembered)]);
  }

  async readPending(client: ClientInfo): Promise<PendingSignIn | undefined> {
    const [personId, epoch, remembered] = await this.#readBrief(client, "two_factor");
    return personId === undefined ? undefined : { personId, epoch: Number(epoch), remembered: remembered === "1" };
  }

  /** `Set-Cookie` lines. A browser has at most five beginnings; the oldest, which it sends first (RFC 6265, 5.4), goes. */
  async writeProvider(client: ClientInfo, begun: BegunAtProvider): Promise<string[]> {
    const { state, nonce, verifier, purpose, sessionId } = begun;
    const ended = this.clearProvider(client).slice(0, 1 - BEGUN_MAX);
    return [...ended, await this.#writeBrief(client, `provider-${state}`, [nonce, verifier, purpose, sessionId])];
  }

  async readProvider(client: ClientInfo, state: string): Promise<BegunAtProvider | undefined> {
    const [nonce, verifier, purpose, sessionId] = await this.#readBrief(client, `provider-${state}`);
    return sessionId === undefined ? undefined : ({ state, nonce, verifier, purpose, sessionId } as BegunAtProvider);
  }

  /** `Set-Cookie` lines that end the beginning of this state, which may be a stranger's text; or all that the browser has. */
  clearProvider(client: ClientInfo, state?: string): string[] {
    const sent = client.headers.get("cookie") ?? "";
    const states = Array.from(sent.matchAll(/plantstore\.provider-([\w-]{43})=/g), ([, found = ""]) => found);
    const ended = state === undefined ? states : states.filter((found) => found === state);
    return ended.map((found) => this.clear(client, `provider-${found}`));
  }

  /**
   * The browser's id, if this account has signed in from it before (OWASP, "Slow down online guessing attacks with
   * device cookies"). Its attempts are counted separately, so that strangers cannot lock the owner out. It does not sign
   * anybody in.
   */
  async knownDevice(client: ClientInfo, person: Pick<Person, "id">): Promise<string | undefined> {
    const [personId, device] = (await this.read(client, "device"))?.split(":") ?? [];
    return personId === person.id ? device : undefined;
  }

  async writeDevice(client: ClientInfo, person: Pick<Person, "id">): Promise<string> {
    const device = (await this.knownDevice(client, person)) ?? crypto.randomUUID();
    return this.write(client, "device", `${person.id}:${device}`, DEVICE_AGE_SECONDS);
  }

  #writeBrief(client: ClientInfo, name: BriefCookie, members: readonly unknown[]): Promise<string> {
    const age = ageOf(name);
    return this.write(client, name, [...members, Date.now() + age * 1000].join(":"), age);
  }

  /**
   * The members of a cookie whose last one is its end, which a browser need not observe; none after that, nor where a clock
   * that was far ahead has set it.
   */
  async #readBrief(client: ClientInfo, name: BriefCookie): Promise<readonly string[]> {
    const members = (await this.read(client, name))?.split(":") ?? [];
    const leftMs = Number(members.pop()) - Date.now();
    return leftMs > 0 && leftMs <= 2000 * ageOf(name) ? members : [];
  }
}

function signature(secret: string, name: CookieName, value: string): string {
  return new Bun.CryptoHasher("sha256", secret).update(`${name}=${value}`).digest("base64");
}

const ageOf = (name: BriefCookie) => BRIEF_AGE_SECONDS[name === "passkey" ? name : "other"];

/** True if there is such a cookie, whose signature is not verified. Without one there is no session. */
export function hasCookie({ headers }: ClientInfo, name: CookieName): boolean {
  return headers.get("cookie")?.includes(`plantstore.${name}=`) ?? false;
}

/**
 * The first cookie of that name, decoded; "" if there is none, or if the header is too long. Every stranger may send the
 * header, so nothing but the one name is looked for: a parser of all takes a third of a millisecond for the longest.
 */
function sentValue(header: string, name: string): string {
  if (header.length > COOKIE.each) return "";
  const sought = `${name}=`;
  for (let at = header.indexOf(sought); at >= 0; at = header.indexOf(sought, at + sought.length)) {
    // Cookies are parted by a semicolon and a space (RFC 6265, 4.2.1).
    if (at > 0 && !header.startsWith("; ", at - 2) && header[at - 1] !== ";") continue;
    const end = header.indexOf(";", at);
    return decoded(header.slice(at + sought.length, end < 0 ? undefined : end).trim());
  }
  return "";
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

function fullName(origin: string, name: CookieName): string {
  return `${isSecure(origin) ? "__Host-" : ""}plantstore.${name}`;
}

function line(origin: string, name: CookieName, value: string, ageSeconds: number | undefined): string {
  const maxAge = ageSeconds === undefined ? {} : { maxAge: ageSeconds };
  const attributes = { path: "/", httpOnly: true, secure: isSecure(origin), sameSite: "lax", ...maxAge } as const;
  return new Bun.Cookie(fullName(origin, name), value, attributes).toString();
}
