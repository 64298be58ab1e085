import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { atEnd } from "./at-end.ts";

/** Spoils the ID token or the answers of the next sign-ins. */
interface Spoilt {
  readonly header?: object;
  readonly claims?: Record<string, unknown>;
  /** Signs with a key that is not published. */
  readonly key?: KeyObject;
  readonly secret?: string;
  /** Replaces the whole JSON of that path. */
  readonly answers?: Readonly<Record<string, object>>;
  /** Changes what the provider leads back with. */
  readonly back?: Record<string, string | undefined>;
}

type Mode = "up" | "down" | "silent" | "slow" | "endless";

/**
 * An identity provider of our own (OpenID Connect Core 1.0), on a port of the loopback: discovery, keys, authorization with
 * PKCE, tokens and userinfo. What it says can be spoilt, its keys rotated, and it can be out of order in several ways.
 */
export class TestIdentityProvider {
  mode: Mode = "up";
  /** The only path that is so; undefined if all are. */
  place: string | undefined;
  spoilt: Spoilt = {};
  /** Members of what it says of itself, in place of its own. */
  metadata: Record<string, unknown> = {};
  claims: Record<string, unknown> = { sub: "grower-1", email: "grower@corp.example", email_verified: true };
  /** Claims that userinfo alone has. */
  userinfo: Record<string, unknown> = {};
  /** The paths that were asked for, with the bodies of forms. */
  readonly asked: string[] = [];
  readonly headers: Headers[] = [];
  #key = newKey();
  readonly #codes = new Map<string, URLSearchParams>();
  #server: Bun.Server<undefined>;
  readonly #port: number;

  constructor(private readonly path = "") {
    this.#server = this.#listen(0);
    this.#port = this.#server.port ?? 0;
    atEnd(() => void this.#server.stop(true));
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}${this.path}`;
  }

  rotate(): void {
    this.#key = newKey();
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  startAgain(): void {
    this.#server = this.#listen(this.#port);
  }

  /** Its user agrees. Resolves with the query with which they are led back. */
  search(url: string, changes: Record<string, string | undefined> = this.spoilt.back ?? {}): string {
    const asked = new URL(url).searchParams;
    const code = randomUUID();
    this.#codes.set(code, asked);
    return query({ code, state: asked.get("state") ?? "", iss: this.issuer, ...changes });
  }

  #listen(port: number) {
    return Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 60, fetch: (request) => this.#answer(request) });
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname.slice(this.path.length);
    const form = request.method === "POST" ? await request.text() : "";
    this.asked.push(form ? `${path} ${form}` : path);
    this.headers.push(request.headers);
    const { spoilt, place = path } = this;
    const mode = path === place ? this.mode : "up";
    if (mode === "down") return new Response("no", { status: 503 });
    if (mode === "silent") return new Promise(() => {});
    if (mode === "slow") return new Response(drops(1000, " "), JSON_TYPE);
    if (mode === "endless") return new Response(drops(0, " ".repeat(65_536)), JSON_TYPE);
    const given = spoilt.answers?.[path];
    if (given) return Response.json(given);
    if (path === "/.well-known/openid-configuration") return Response.json({ ...this.#metadata(), ...this.metadata });
    if (path === "/keys") return Response.json({ keys: [this.#key.jwk] });
    if (path === "/token") return this.#tokens(new URLSearchParams(form));
    if (path === "/userinfo") return Response.json({ ...this.claims, ...this.userinfo });
    if (path === "/authorize") return this.#page(url);
    return new Response("no such path", { status: 404 });
  }

  #metadata() {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      scopes_supported: ["openid", "email", "profile", "groups"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #tokens(form: URLSearchParams): Response {
    const code = form.get("code") ?? "";
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    const fits = asked?.get("code_challenge") === challenge && asked?.get("redirect_uri") === form.get("redirect_uri");
    if (!asked || !fits) return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: this.issuer, aud: asked.get("client_id"), iat: now, exp: now + 60, nonce: asked.get("nonce") };
    const id_token = this.#signed({ ...own, ...this.claims, ...this.spoilt.claims });
    return Response.json({ access_token: `access-${code}`, token_type: "Bearer", expires_in: 60, id_token });
  }

  #signed(claims: object): string {
    const { key = this.#key.privateKey, header = {}, secret } = this.spoilt;
    const parts = [{ alg: "ES256", kid: this.#key.jwk.kid, ...header }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const text = parts.join(".");
    if (secret !== undefined) {
      return `${text}.${secret && new Bun.CryptoHasher("sha256", secret).update(text).digest("base64url")}`;
    }
    return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  }

  /** A page for a browser, whose user agrees or cancels. */
  #page(url: URL): Response {
    const back = url.searchParams.get("redirect_uri");
    const cancelled = query({ error: "access_denied", state: url.searchParams.get("state") ?? "", iss: this.issuer });
    const links = `<a href="${back}${this.search(url.href)}">Agree</a> <a href="${back}${cancelled}">Cancel</a>`;
    return new Response(`<!doctype html><title>Provider</title><h1>Provider</h1>${links}`, {
      headers: { "Content-Type": "text/html" },
    });
  }
}

const JSON_TYPE = { headers: { "Content-Type": "application/json" } };

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "ES256" } };
}

export const foreignKey = () => newKey().privateKey;

function query(members: Record<string, string | undefined>): string {
  const given = Object.entries(members).filter((member): member is [string, string] => member[1] !== undefined);
  return `?${new URLSearchParams(given)}`;
}

function drops(everyMs: number, text: string): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(everyMs);
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
}
