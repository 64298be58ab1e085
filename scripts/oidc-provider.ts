import { generateKeyPairSync, randomUUID } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { atEnd } from "#test/support/at-end.ts";
import { freePort } from "#test/support/free-port.ts";
import { ROOT } from "#test/support/service.ts";

/**
 * `npx bun scripts/oidc-provider.ts`: the browser's tests of signing in by an identity provider, at `oidc-provider`, a
 * certified one that others have written, in place of the provider of the tests. It is fetched once, from npm, into
 * `dist/oidc-provider`.
 */
const PACKAGE = "oidc-provider@9.13.3";
const FOLDER = join(ROOT, "dist/oidc-provider");
const LIBRARY = join(FOLDER, "node_modules/oidc-provider/lib");
const TESTS = "test/browser/identity-provider.test.ts";

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER, PACKAGE];
  await Bun.write(join(FOLDER, "package.json"), '{"private":true}');
  if (!existsSync(LIBRARY)) await run(install);
  await run([process.execPath, "src/server/bundle/build.ts"]);
  await run([process.execPath, "test", "--timeout", "60000", TESTS], { TEST_PROVIDER: import.meta.path });
}

async function run(command: string[], env: Record<string, string> = {}): Promise<void> {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdout: "inherit", stderr: "inherit" } as const;
  const code = await Bun.spawn(command, options).exited;
  if (code !== 0) process.exit(code);
}

const { default: Provider, interactionPolicy } = import.meta.main ? {} : await import(`${LIBRARY}/index.js`);
const { createMemoryAdapter } = import.meta.main ? {} : await import(`${LIBRARY}/adapters/memory_adapter.js`);

/** Of the library, as far as it is used here. */
interface Interaction {
  readonly path: string;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  body: string;
  type: string;
  redirect(to: string): void;
}

/** To the tests the same as their own. */
export class TestIdentityProvider {
  claims: { readonly sub: string; readonly [name: string]: unknown } = { sub: "" };
  readonly #port = freePort();
  readonly #people = new Map<string, object>();
  readonly #memory = createMemoryAdapter();
  #answer = this.#instance();
  #server = this.#listen();

  constructor() {
    atEnd(() => this.stop());
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Goes on as an instance with another key, and with what the one before remembers. */
  rotate(): void {
    this.#answer = this.#instance();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  startAgain(): void {
    this.#server = this.#listen();
  }

  #listen(): Server {
    const server = createServer((request, response) => this.#answer(request, response));
    return server.listen(this.#port, "127.0.0.1");
  }

  #instance(): (request: IncomingMessage, response: ServerResponse) => unknown {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const policy = interactionPolicy.base();
    policy.remove("consent");
    const isAsked = ({ oidc }: { oidc: { result?: { login?: object } } }) => oidc.result?.login === undefined;
    policy.get("login").checks.add(new interactionPolicy.Check("always", "It asks its user each time", isAsked));
    const provider = new Provider(this.issuer, {
      clients: [
        { client_id: "plants", token_endpoint_auth_method: "none", redirect_uris: ["https://plants.example/"] },
      ].map((client) => ({ ...client, id_token_signed_response_alg: "ES256" })),
      adapter: this.#memory,
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "ES256" }] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
      features: { devInteractions: { enabled: false } },
      interactions: { policy, url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      cookies: { keys: ["of the tests"] },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => this.#people.get(sub) }),
      loadExistingGrant: grantOf,
    });
    // Which port the service has is known only after the provider has started.
    provider.Client.prototype.redirectUriAllowed = () => true;
    provider.use((context: Interaction, next: () => unknown) => this.#interact(provider, context, next));
    return provider.callback();
  }

  /** A page on which its user agrees or cancels. */
  // biome-ignore lint/suspicious/noExplicitAny: its types are of a package that is only here
  async #interact(provider: any, context: Interaction, next: () => unknown): Promise<void> {
    const [, uid, pressed] = /^\/interaction\/([^/]+)(?:\/(agree|cancel))?$/.exec(context.path) ?? [];
    if (uid === undefined) return void (await next());
    const link = (label: string) => `<a href="/interaction/${uid}/${label.toLowerCase()}">${label}</a>`;
    if (pressed === undefined) {
      context.type = "html";
      context.body = `<!doctype html><title>Provider</title><h1>Provider</h1>${link("Agree")} ${link("Cancel")}`;
      return;
    }
    const { claims } = this;
    this.#people.set(claims.sub, claims);
    const result = pressed === "agree" ? { login: { accountId: claims.sub } } : { error: "access_denied" };
    context.redirect(await provider.interactionResult(context.req, context.res, result));
  }
}

/** Whoever agrees to sign in has agreed to all that is asked for. */
// biome-ignore lint/suspicious/noExplicitAny: its types are of a package that is only here
async function grantOf({ oidc }: any) {
  const { provider, client, session, params } = oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(params.scope);
  await grant.save();
  return grant;
}

if (import.meta.main) await main();
