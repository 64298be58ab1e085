import type * as Library from "openid-client";
import { Failure, tooManyAtOnce } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { ALL, IDENTITY_PROVIDER } from "#load/limit-groups.ts";
import { LimitGroup } from "#load/limit-row.ts";
import { type ClaimName, ProvidedClaims } from "./provided-claims.ts";

const PROVIDER_REQUESTS = IDENTITY_PROVIDER.row("sign-ins that ask the identity provider", ALL, {
  all: 8,
  lateMs: 1000,
});
/** Bounds each of the provider's two to four answers, so that an outage is reported within 5 s. */
const PROVIDER_ANSWER = new LimitGroup("outgoing connections", "plantstore_sign_ins_total", "503").row(
  "answers of the identity provider",
  "request",
  { each: 256 * 1024, unit: "bytes", waitMs: 4500 },
);

export interface ProviderOptions {
  /** Exactly as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: string | undefined;
  /** The claims beside those of everybody that are read. */
  readonly claims: readonly ClaimName[];
}

/** The random values of a beginning, which its answer must fit. */
export interface ProviderChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const SCOPES = ["openid", "email", "profile"];
const CLOCK_SECONDS_MAX = 30;

/**
 * The provider that the operator has set (OpenID Connect Core 1.0: the authorization code flow, with PKCE). This is the only
 * file that knows the library, which is loaded when it is first used. What the provider says of itself, and its keys, are
 * read anew for each sign-in, so that nothing of it is ever outdated.
 */
export class IdentityProvider {
  #underWay = 0;

  constructor(private readonly options: ProviderOptions) {}

  get issuer(): string {
    return this.options.issuer;
  }

  /** The address to go to. With `asksAgain` the provider is told to ask its user even within a session of its own. */
  begin(redirect: string, asksAgain: boolean): Promise<{ url: string; checks: ProviderChecks }> {
    return this.#asking(async (library) => {
      const { config, metadata } = await this.#discover(library);
      const checks = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      };
      const { scopes_supported: supported = [] } = metadata;
      const ofClaims = this.options.claims.flatMap(({ path: [name = ""] }) => (supported.includes(name) ? [name] : []));
      const scopes = [...SCOPES, ...ofClaims];
      const url = library.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope: [...new Set(scopes)].join(" "),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
        ...(asksAgain ? askingAgain(metadata.prompt_values_supported) : {}),
      });
      return { url: url.href, checks };
    });
  }

  /**
   * Checks the answer with which the provider led back, the ID token with its signature among it, and resolves with its
   * claims. If the ID token lacks one of the claims that `wanted` resolves with, userinfo is asked. Throws
   * "identity-refused" or "provider-unavailable".
   */
  finish(
    answer: URL,
    { state, nonce, verifier }: ProviderChecks,
    wanted: (subject: string) => Promise<readonly ClaimName[]>,
  ): Promise<ProvidedClaims> {
    const said = answer.searchParams;
    // The state is checked first, so that an unsolicited answer costs no request.
    if (said.get("state") !== state) throw identityRefused("it has another state");
    if (said.has("error")) throw identityRefused(`the provider said ${errorCode(said.get("error"))}`);
    return this.#asking(async (library) => {
      const { config, metadata } = await this.#discover(library);
      const tokens = await library.authorizationCodeGrant(config, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const idToken = tokens.claims();
      if (!idToken || !isSubject(idToken.sub)) throw identityRefused("its subject is no text of 1 to 255 characters");
      const { sub } = idToken;
      const claims = new ProvidedClaims(sub, idToken);
      const isMissing = (await wanted(sub)).some((claim) => claims.find(claim) === undefined);
      if (!isMissing || metadata.userinfo_endpoint === undefined) return claims;
      return new ProvidedClaims(sub, idToken, await library.fetchUserInfo(config, tokens.access_token, sub));
    });
  }

  /** Throws "rate-limited", late, if so many ask already that the provider must be slow. */
  async #asking<T>(ask: (library: typeof Library) => Promise<T>): Promise<T> {
    if (this.#underWay >= PROVIDER_REQUESTS.all) {
      await Bun.sleep(PROVIDER_REQUESTS.lateMs);
      throw tooManyAtOnce(PROVIDER_REQUESTS.name, PROVIDER_REQUESTS.all, { holder: "service" });
    }
    this.#underWay++;
    try {
      return await ask(await import("openid-client"));
    } catch (error) {
      throw error instanceof Failure ? error : failureOf(error);
    } finally {
      this.#underWay--;
    }
  }

  /** The address is the document's own, with which the library leaves it to the last line to compare the issuer. */
  async #discover(library: typeof Library) {
    const { issuer, clientId, clientSecret } = this.options;
    const url = new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    const { allowInsecureRequests, enableNonRepudiationChecks, clockTolerance, customFetch } = library;
    const authenticate: Library.ClientAuth = (server, ...request) => {
      const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
      const isPosted = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
      const method = isPosted ? library.ClientSecretPost : library.ClientSecretBasic;
      return (clientSecret === undefined ? library.None() : method(clientSecret))(server, ...request);
    };
    const config = await library.discovery(url, clientId, { [clockTolerance]: CLOCK_SECONDS_MAX }, authenticate, {
      execute: [enableNonRepudiationChecks, ...(url.protocol === "http:" ? [allowInsecureRequests] : [])],
      [customFetch]: boundedFetch,
    });
    const metadata = config.serverMetadata();
    if (metadata.issuer === issuer) return { config, metadata };
    const said = metadata.issuer.slice(0, 300);
    throw identityRefused(`OIDC_ISSUER is ${issuer}, and the provider calls itself ${said}`);
  }
}

/** Some providers refuse a `prompt` that they do not list (OpenID Connect Prompt Create 1.0, 4). */
function askingAgain(prompts: unknown): Record<string, string> {
  const isRefused = Array.isArray(prompts) && !prompts.includes("login");
  return isRefused ? { max_age: "0" } : { prompt: "login", max_age: "0" };
}

/** The provider does not answer, or not in time, or with an error of its own, or without an end. */
class NoAnswer extends Error {}

const boundedFetch: Library.CustomFetch = async (url, { headers, ...options }) => {
  const { waitMs, each } = PROVIDER_ANSWER;
  try {
    const response = await fetch(url, {
      ...(options as RequestInit),
      headers: { ...headers, "Accept-Encoding": "identity" },
      signal: AbortSignal.timeout(waitMs),
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw new NoAnswer(`it answered with status ${status}`);
    const body: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.byteLength;
      if (length > each) throw new NoAnswer(`its answer is longer than ${each} bytes`);
      body.push(chunk);
    }
    return new Response(length > 0 ? Buffer.concat(body) : null, { status, headers: response.headers });
  } catch (error) {
    const { host, pathname } = new URL(url);
    const reason = error instanceof Error ? error.message : "it failed";
    throw new NoAnswer(`${host}${pathname} cannot be used: ${reason}`);
  }
};

function failureOf(error: unknown): Failure {
  const causes = causesOf(error);
  const unreached = causes.find((cause) => cause instanceof NoAnswer);
  if (unreached) {
    const message = "The identity provider cannot be reached just now; try again, or sign in another way";
    return new Failure("provider-unavailable", message, { cause: unreached, headers: { "Retry-After": "5" } });
  }
  return identityRefused(reasonOf(causes));
}

/**
 * Describes the fault that the library found, from the errors that have its codes: others may quote the answer, with a token in it. The code of
 * an error that the provider gave stands with it.
 */
function reasonOf(causes: readonly Error[]): string {
  const own = causes.filter((cause) => isOfLibrary(Reflect.get(cause, "code")));
  const said = causes.map((cause) => Reflect.get(cause, "error")).find((code) => typeof code === "string");
  const reasons = [...new Set(own.map(({ message }) => message)), ...(said ? [`it said ${errorCode(said)}`] : [])];
  return reasons.join(": ") || "it is not one of OpenID Connect";
}

const isOfLibrary = (code: unknown) => typeof code === "string" && code.startsWith("OAUTH_");

function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  return [error, ...causesOf(error.cause)];
}

/** RFC 6749, 4.1.2.1 and 5.2, and OpenID Connect Core 1.0, 3.1.2.6. */
const ERROR_CODES: ReadonlySet<unknown> = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "login_required",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
]);

/** Anything else in its place may be a secret, or a stranger's own text, of which each would be another line of the log. */
function errorCode(given: unknown): string {
  return ERROR_CODES.has(given) ? String(given) : "an error of its own";
}

/** OpenID Connect Core 1.0, 2. */
function isSubject(text: string): boolean {
  return text.length >= 1 && text.length <= 255 && isStorableText(text);
}

/** One sentence for whatever is wrong with an answer. `reason`, for the log, says what; it holds no code and no token. */
export function identityRefused(reason: string): Failure {
  const message =
    "The answer of the identity provider cannot be taken, or the sign-in was cancelled there: begin again";
  return new Failure("identity-refused", message, { cause: new Error(`The answer was refused: ${reason}`) });
}
