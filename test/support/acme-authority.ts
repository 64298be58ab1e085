import "reflect-metadata";
import { createPublicKey, verify } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from "@peculiar/x509";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import { atEnd } from "./at-end.ts";
import { type CertifiedKey, newAuthority } from "./certificates.ts";

/** What an authority does wrong. */
export interface Troubles {
  /** Answers new orders with this problem (RFC 9457), or only those with one of the names. */
  refuses?: {
    readonly status: number;
    readonly type: string;
    readonly detail: unknown;
    readonly names?: readonly string[];
  };
  /** Names that have no address yet. */
  nowhere?: readonly string[];
  /** Never answers, or never ends its answers. */
  hangs?: "silent" | "endless";
  /** Refuses so many nonces yet. */
  badNonces?: number;
  /** Gives a certificate of another key, for another name, or of two hours later. */
  gives?: "other-key" | "other-name" | "later";
  /** By how much its clock is ahead. */
  clockMs?: number;
  /** Resolves before an order is finished. */
  finishes?: Promise<void>;
  /** Never says when it wants certificates renewed. */
  isSilentOnRenewal?: boolean;
}

/** When certificates are to be renewed (RFC 9773), as it is sent. */
export interface SuggestedRenewal {
  readonly suggestedWindow?: { readonly start: string; readonly end: string };
  readonly retryAfter?: string;
}

interface Signed {
  readonly protected: {
    readonly url: string;
    readonly nonce: string;
    readonly kid?: string;
    readonly jwk?: JsonWebKey;
  };
  // biome-ignore lint/suspicious/noExplicitAny: each resource has a payload of its own
  readonly payload: any;
}

/** An authority that speaks ACME (RFC 8555) with http-01, known only to the test. It asks every name at this port of the loopback. */
export class AcmeAuthority {
  readonly troubles: Troubles = {};
  /** The names of each order, in their order. */
  readonly orders: string[][] = [];
  /** The certificates that the orders said to replace. */
  readonly replaced: (string | undefined)[] = [];
  /** Without it the authority does not speak of renewals. */
  renewal: SuggestedRenewal | undefined;
  /** The certificates whose renewal it was asked for. */
  readonly asked: string[] = [];
  issued = 0;
  lifeMs = 90 * DAY_MS;
  /** The CA in PEM format. */
  readonly cert: string;
  readonly directory: string;
  readonly #keys = new Map<string, JsonWebKey>();
  readonly #nonces = new Set<string>();
  readonly #proved = new Map<string, boolean>();
  readonly #certificates = new Map<string, string>();
  readonly #server: Bun.Server<undefined>;

  private constructor(
    private readonly ca: Awaited<ReturnType<typeof newAuthority>>,
    private readonly httpPort: number,
  ) {
    this.cert = ca.cert;
    const fetch = (request: Request) => this.#answer(request);
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, idleTimeout: 0, fetch });
    this.directory = `http://127.0.0.1:${this.#server.port}/directory`;
    atEnd(() => void this.#server.stop(true));
  }

  static async start(httpPort: number): Promise<AcmeAuthority> {
    return new AcmeAuthority(await newAuthority(), httpPort);
  }

  /** Without an order. */
  certify(what: CertifiedKey): Promise<string> {
    return this.ca.certify(what);
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { hangs, clockMs = 0 } = this.troubles;
    if (hangs === "silent") return new Promise(() => {});
    if (hangs === "endless")
      return new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(65_536)) }));
    const answer = await this.#resource(request).catch((error) => problem(400, "malformed", String(error)));
    const nonce = crypto.randomUUID();
    this.#nonces.add(nonce);
    answer.headers.set("Replay-Nonce", nonce);
    answer.headers.set("Date", new Date(Date.now() + clockMs).toUTCString());
    return answer;
  }

  async #resource(request: Request): Promise<Response> {
    const { origin, pathname } = new URL(request.url);
    const [, kind = "", id = ""] = pathname.split("/");
    const at = (path: string) => `${origin}/${path}`;
    if (kind === "directory") {
      const renewalInfo = this.renewal && at("renewal");
      return Response.json({ newNonce: at("nonce"), newAccount: at("account"), newOrder: at("order"), renewalInfo });
    }
    if (kind === "nonce") return new Response();
    if (kind === "renewal") return this.#renewalOf(id);
    const { protected: head, payload } = this.#verified(await request.json(), request.url);
    if ((this.troubles.badNonces ?? 0) > 0) {
      this.troubles.badNonces = (this.troubles.badNonces ?? 0) - 1;
      return problem(400, "badNonce", "This nonce is not good");
    }
    if (!this.#nonces.delete(head.nonce)) return problem(400, "badNonce", "This nonce was used");
    switch (kind) {
      case "account": {
        const location = at(`account/${this.#keys.size}`);
        this.#keys.set(location, head.jwk ?? {});
        return Response.json({ status: "valid" }, { status: 201, headers: { Location: location } });
      }
      case "order":
        return id ? Response.json(this.#order(id, at)) : this.#ordered(payload, at);
      case "authorization":
        return Response.json(this.#authorization(id, at));
      case "challenge":
        await this.#prove(id, this.#keys.get(head.kid ?? "") ?? {});
        return Response.json({ status: "processing" });
      case "finalize":
        await this.troubles.finishes;
        this.#certificates.set(id, await this.#issue(Buffer.from(payload.csr, "base64url")));
        return Response.json(this.#order(id, at));
      case "certificate":
        return new Response(this.#certificates.get(id));
      default:
        return problem(404, "malformed", "There is no such resource");
    }
  }

  #verified(sent: { protected: string; payload: string; signature: string }, url: string): Signed {
    const head = JSON.parse(Buffer.from(sent.protected, "base64url").toString());
    const jwk = head.jwk ?? this.#keys.get(head.kid);
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const signature = Buffer.from(sent.signature, "base64url");
    const signed = Buffer.from(`${sent.protected}.${sent.payload}`);
    const isGood = verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    if (!isGood || head.url !== url) throw new Error("The signature is not good");
    return { protected: head, payload: sent.payload && JSON.parse(Buffer.from(sent.payload, "base64url").toString()) };
  }

  async #renewalOf(id: string): Promise<Response> {
    this.asked.push(id);
    if (![...this.#certificates.values()].some((chain) => idOf(chain) === id))
      return problem(404, "malformed", "There is no such certificate");
    if (this.troubles.isSilentOnRenewal) return new Promise(() => {});
    const { retryAfter, ...told } = this.renewal ?? {};
    return Response.json(told, { headers: retryAfter === undefined ? {} : { "Retry-After": retryAfter } });
  }

  #ordered({ identifiers, replaces }: Signed["payload"], at: (path: string) => string): Response {
    const { refuses } = this.troubles;
    this.orders.push(identifiers.map(({ value }: { value: string }) => value));
    this.replaced.push(replaces);
    const named = this.orders.at(-1)?.filter((name) => refuses?.names?.includes(name)) ?? [];
    if (refuses && (named.length > 0 || !refuses.names)) {
      const subproblems = named.map((value) => ({ type: "dns", detail: "no", identifier: { type: "dns", value } }));
      return problem(refuses.status, refuses.type, refuses.detail, named.length > 0 ? { subproblems } : {});
    }
    const number = String(this.orders.length - 1);
    return Response.json(this.#order(number, at), { status: 201, headers: { Location: at(`order/${number}`) } });
  }

  #order(id: string, at: (path: string) => string): object {
    const names = this.orders[Number(id)] ?? [];
    const proofs = names.map((_, index) => this.#proved.get(`${id}-${index}`));
    const isReady = proofs.every((proof) => proof === true);
    const status = this.#certificates.has(id)
      ? "valid"
      : isReady
        ? "ready"
        : proofs.includes(false)
          ? "invalid"
          : "pending";
    return {
      status,
      authorizations: names.map((_, index) => at(`authorization/${id}-${index}`)),
      finalize: at(`finalize/${id}`),
      ...(status === "valid" && { certificate: at(`certificate/${id}`) }),
    };
  }

  #nameOf(id: string): string {
    const [order, index] = id.split("-");
    return this.orders[Number(order)]?.[Number(index)] ?? "";
  }

  #authorization(id: string, at: (path: string) => string): object {
    const proof = this.#proved.get(id);
    const status = proof === undefined ? "pending" : proof ? "valid" : "invalid";
    const error = proof === false && { error: { detail: `${this.#nameOf(id)} did not answer the challenge` } };
    const challenge = { type: "http-01", url: at(`challenge/${id}`), token: tokenOf(id), status, ...error };
    return { status, identifier: { value: this.#nameOf(id) }, challenges: [challenge] };
  }

  async #prove(id: string, { crv, kty, x, y }: JsonWebKey): Promise<void> {
    const thumbprint = new Bun.CryptoHasher("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
    const address = `http://127.0.0.1:${this.httpPort}/.well-known/acme-challenge/${tokenOf(id)}`;
    const answer = await fetch(address, { headers: { Host: this.#nameOf(id) } }).then((each) => each.text(), String);
    const isThere = !this.troubles.nowhere?.includes(this.#nameOf(id));
    this.#proved.set(id, isThere && answer === `${tokenOf(id)}.${thumbprint}`);
  }

  async #issue(csr: Buffer): Promise<string> {
    const request = new Pkcs10CertificateRequest(csr.toString("base64"));
    if (!(await request.verify())) throw new Error("The request is not signed by its key");
    this.issued++;
    const names = request.extensions.find((each) => each instanceof SubjectAlternativeNameExtension);
    const { gives } = this.troubles;
    return this.ca.certify({
      publicKey: gives === "other-key" ? undefined : await request.publicKey.export(),
      names: gives === "other-name" ? ["other.example"] : (names?.names.toJSON() ?? []).map(({ value }) => value),
      from: Date.now() + (gives === "later" ? 2 * HOUR_MS : 0),
      lifeMs: this.lifeMs,
    });
  }
}

/** RFC 9773, 4.1. */
function idOf(chain: string): string {
  const leaf = new X509Certificate(chain);
  const { keyId = "" } = leaf.getExtension(AuthorityKeyIdentifierExtension) ?? {};
  const serial = leaf.serialNumber.replace(/^[89a-f]/, "00$&");
  return [keyId, serial].map((hex) => Buffer.from(hex, "hex").toString("base64url")).join(".");
}

function tokenOf(id: string): string {
  return `token_${id}`;
}

function problem(status: number, type: string, detail: unknown, more: object = {}): Response {
  return Response.json({ type: `urn:ietf:params:acme:error:${type}`, detail, ...more }, { status });
}
