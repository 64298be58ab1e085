import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { calculateJwkThumbprint, FlattenedSign } from "jose";
import { type Answer, AuthorityClient, oneLine } from "./authority-client.ts";

/** An order that is not over in time has failed. */
const ORDER_MS_MAX = 180_000;
/** An authority may refuse a nonce at any time (RFC 8555, 6.5). */
const NONCES_MAX = 10;

export interface CertificateOrder {
  /** The address of the authority's directory. */
  readonly directory: string;
  readonly email: string | undefined;
  readonly names: readonly string[];
  /** The id of the certificate that the new one is for (RFC 9773, 5), where the authority takes it. */
  readonly replaces: string | undefined;
  /** The account's private key in PEM format. */
  readonly accountKey: string;
  /** The request for the certificate (PKCS #10), in DER. */
  readonly request: Uint8Array;
  readonly signal: AbortSignal;
  /** Answers these challenges from now on, by their tokens (http-01). */
  answerChallenges(answers: Readonly<Record<string, string>>): void;
}

/** The certificate with its chain, in PEM format. Throws an error whose message is a sentence, the authority's own if it refused. */
export async function orderCertificate(order: CertificateOrder): Promise<string> {
  const late = AbortSignal.timeout(ORDER_MS_MAX);
  const signal = AbortSignal.any([order.signal, late]);
  const authority = new AuthorityClient(order.directory, signal);
  try {
    return await new AcmeSession(order, authority, signal).order();
  } catch (error) {
    throw late.aborted ? new Error(`${authority.host} did not finish within ${ORDER_MS_MAX / 1000} s`) : error;
  }
}

/** A resource of the authority, as far as it is read here (RFC 8555, 7.1). */
interface Resource {
  readonly status?: string;
  readonly identifier?: { readonly value: string };
  readonly authorizations?: readonly string[];
  readonly challenges?: readonly {
    readonly type: string;
    readonly url: string;
    readonly token: string;
    readonly error?: Problem;
  }[];
  readonly finalize?: string;
  readonly certificate?: string;
  readonly error?: Problem;
}

/** RFC 9457, and RFC 8555, 6.7.1. Members may be of any kind. */
interface Problem {
  readonly type?: string;
  readonly detail?: unknown;
  readonly identifier?: { readonly value?: string };
  readonly subproblems?: unknown;
}

/** One order of an account at an authority. */
class AcmeSession {
  readonly #key: KeyObject;
  readonly #jwk: { readonly crv: string; readonly kty: string; readonly x: string; readonly y: string };
  #addresses: Readonly<Record<string, string>> = {};
  #account: string | undefined;
  #nonce: string | undefined;

  constructor(
    private readonly given: CertificateOrder,
    private readonly authority: AuthorityClient,
    private readonly signal: AbortSignal,
  ) {
    this.#key = createPrivateKey(given.accountKey);
    const { crv = "", kty = "", x = "", y = "" } = createPublicKey(given.accountKey).export({ format: "jwk" });
    this.#jwk = { crv, kty, x, y };
  }

  async order(): Promise<string> {
    const { email, names, request } = this.given;
    this.#addresses = await this.authority.directory();
    const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
    const account = await this.#post(this.#addresses.newAccount, { termsOfServiceAgreed: true, ...contact });
    this.#account = account.headers.get("location") ?? undefined;
    const identifiers = names.map((value) => ({ type: "dns", value }));
    const replaces = this.#addresses.renewalInfo === undefined ? undefined : this.given.replaces;
    const ordered = await this.#post(this.#addresses.newOrder, { identifiers, replaces });
    const address = ordered.headers.get("location") ?? undefined;
    await this.#prove(this.authority.parsed<Resource>(ordered).authorizations ?? []);
    const { finalize } = await this.#settled(address);
    await this.#post(finalize, { csr: Buffer.from(request).toString("base64url") });
    const { certificate, error } = await this.#settled(address);
    if (certificate === undefined) throw this.#refusal(error, "it gave no certificate");
    return (await this.#post(certificate)).text;
  }

  /** Shows that the names lead here (http-01; RFC 8555, 8.3). */
  async #prove(addresses: readonly string[]): Promise<void> {
    const answers: Record<string, string> = {};
    const pending: { readonly address: string; readonly challenge: string }[] = [];
    const thumbprint = await calculateJwkThumbprint(this.#jwk);
    for (const address of addresses) {
      const { status, challenges = [] } = this.authority.parsed<Resource>(await this.#post(address));
      if (status === "valid") continue;
      const challenge = challenges.find(({ type }) => type === "http-01");
      if (!challenge || !/^[\w-]+$/.test(challenge.token))
        throw new Error(`${this.authority.host} takes no proof over http (http-01)`);
      answers[challenge.token] = `${challenge.token}.${thumbprint}`;
      pending.push({ address, challenge: challenge.url });
    }
    this.given.answerChallenges(answers);
    for (const { challenge } of pending) await this.#post(challenge, {});
    const refused: { readonly name: string; readonly error: Problem | undefined }[] = [];
    for (const { address } of pending) {
      const { status, identifier, challenges = [] } = await this.#settled(address);
      if (status === "valid") continue;
      refused.push({ name: identifier?.value ?? "", error: challenges.find(({ error }) => error)?.error });
    }
    const [first] = refused;
    if (!first) return;
    const names = refused.map(({ name }) => name);
    throw this.#refusal(first.error, `${names.join(", ")} was not proved`, names);
  }

  /** The resource when it no longer waits for the authority. */
  async #settled(address: string | undefined): Promise<Resource> {
    for (;;) {
      const answer = await this.#post(address);
      const resource = this.authority.parsed<Resource>(answer);
      if (resource.status !== "pending" && resource.status !== "processing") return resource;
      const seconds = Number(answer.headers.get("retry-after")) || 1;
      await setTimeout(Math.min(Math.max(seconds, 0.2), 10) * 1000, undefined, { signal: this.signal });
    }
  }

  /** A signed request (RFC 8555, 6.2); without a payload it reads the resource. */
  async #post(url: string | undefined, payload?: object): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const nonce =
        this.#nonce ??
        (await this.authority.call(this.#addresses.newNonce, { method: "HEAD" })).headers.get("replay-nonce");
      const by = this.#account === undefined ? { jwk: this.#jwk } : { kid: this.#account };
      const signed = await new FlattenedSign(Buffer.from(payload === undefined ? "" : JSON.stringify(payload)))
        .setProtectedHeader({ alg: "ES256", nonce, url, ...by })
        .sign(this.#key);
      const answer = await this.authority.call(url, {
        method: "POST",
        headers: { "Content-Type": "application/jose+json" },
        body: JSON.stringify(signed),
      });
      this.#nonce = answer.headers.get("replay-nonce") ?? undefined;
      if (answer.ok) return answer;
      const problem = problemOf(answer.text);
      if (problem.type !== "urn:ietf:params:acme:error:badNonce" || tries === NONCES_MAX) {
        throw this.#refusal(problem, `it answered ${answer.status}`);
      }
    }
  }

  #refusal(problem: Problem | undefined, otherwise: string, refused = refusedNames(problem)): AuthorityRefusal {
    const { detail } = problem ?? {};
    const sentence = typeof detail === "string" && detail.trim() !== "" ? oneLine(detail).slice(0, 500) : otherwise;
    const isNamed = refused.every((name) => sentence.includes(name));
    const named = isNamed ? sentence : `${refused.join(", ")}: ${sentence}`;
    return new AuthorityRefusal(`${this.authority.host} refuses: ${named}`, refused);
  }
}

/** The authority's own sentence, and those of the names for which it refuses the certificate, if it says which. */
export class AuthorityRefusal extends Error {
  constructor(
    message: string,
    readonly names: readonly string[],
  ) {
    super(message);
  }
}

/** RFC 8555, 6.7.1. */
function refusedNames({ subproblems }: Problem = {}): readonly string[] {
  if (!Array.isArray(subproblems)) return [];
  return (subproblems as readonly (Problem | null)[]).flatMap((each) => each?.identifier?.value ?? []);
}

function problemOf(text: string): Problem {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
