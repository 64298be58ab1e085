import { z } from "zod";
import { type AuthService, type AuthServiceOptions, openAuthService } from "#accounts/auth-service.ts";
import { checked } from "#contract/refused-member.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import { IDENTITY_ROUTES } from "#http/dashboard/identities.ts";
import type { DashboardContext, PrivateRoutes } from "#http/dashboard/private-route.ts";
import { serveRoute } from "#http/dashboard/serve-route.ts";
import { SIGN_IN_ROUTES } from "#http/dashboard/sign-in.ts";
import type { Storage } from "#storage/storage.ts";
import type { SoftwareAuthenticator } from "./authenticator.ts";
import { CookieJar } from "./cookie-jar.ts";
import { addAccount, type Holder } from "./test-account.ts";
import { PASSWORD } from "./test-browser.ts";
import { totpCode } from "./totp.ts";

const ROUTES: PrivateRoutes = { ...SIGN_IN_ROUTES, ...IDENTITY_ROUTES };

/** Sign-in over this storage, set up as in the service. */
export function openAuth(storage: Storage, options: Partial<AuthServiceOptions> = {}): AuthService {
  const observer = { failed: (_: string, error: unknown) => console.error(error), count() {}, notice() {} };
  return openAuthService(storage, {
    signup: "open",
    secret: "a secret of the tests",
    observer,
    mail: true,
    ...options,
  });
}

/** A browser that uses the sign-in service directly, without HTTP. */
export class AuthBrowser {
  readonly jar: CookieJar;
  /** The `Set-Cookie` lines of the last answer. */
  cookies: readonly string[] = [];
  readonly #auth: AuthService;

  constructor(auth: AuthService, jar = new CookieJar()) {
    this.#auth = auth;
    this.jar = jar;
  }

  get client() {
    return this.jar.client;
  }

  /** The path is below `/auth`. */
  async send(path: string, body: Record<string, unknown> = {}): Promise<object> {
    const route = ROUTES[`POST /auth${path}`] ?? ROUTES[`GET /auth${path}`];
    if (!route) throw new Error(`There is no route ${path}`);
    const form = async (schema: z.ZodType | undefined) => schema && checked(schema, body, "member-invalid");
    const report = { caller: undefined };
    const request = { client: this.client, report, isChange: true, id: "", search: "", hasBody: false, form };
    // These routes use nothing else of the dashboard.
    const context = this.#auth as unknown as DashboardContext;
    const { answer, cookies } = await serveRoute(route, context, request, (_, act) => act());
    this.cookies = cookies;
    this.jar.take(cookies);
    return (answer ?? {}) as object;
  }

  signIn({ email }: Pick<Person, "email">, more: Record<string, unknown> = {}): Promise<object> {
    return this.send("/sign-in/email", { email, password: PASSWORD, ...more });
  }

  async find(): Promise<Session | undefined> {
    return this.#auth.sessions.find(this.client);
  }

  async session(): Promise<Session> {
    const session = await this.find();
    if (!session) throw new Error("The browser has no session");
    return session;
  }

  async prove(code?: string): Promise<void> {
    await this.#auth.proofs.prove(this.client, await this.session(), { password: PASSWORD, code });
  }

  /** Adds a passkey, after a proof. */
  async register(device: SoftwareAuthenticator, name = "Till key"): Promise<void> {
    await this.prove();
    await this.send("/passkey/verify-registration", { response: await this.registration(device), name });
  }

  /** The device's answer to a new challenge for its registration. */
  async registration(device: SoftwareAuthenticator): Promise<object> {
    return device.register(RegistrationOptions.parse(await this.send("/passkey/generate-register-options")));
  }

  /** The device's answer to a new challenge for signing in. */
  async signed(device: SoftwareAuthenticator): Promise<object> {
    return device.sign(SignInOptions.parse(await this.send("/passkey/generate-authenticate-options")));
  }

  async signInWithPasskey(device: SoftwareAuthenticator): Promise<object> {
    return this.send("/passkey/verify-authentication", { response: await this.signed(device) });
  }
}

const RegistrationOptions = z.object({ challenge: z.string(), rp: z.object({ id: z.string() }) });
const SignInOptions = z.object({ challenge: z.string(), rpId: z.string() });
const Setup = z.object({ totpURI: z.string(), backupCodes: z.array(z.string()) });

/** A new account that signs in with PASSWORD. */
export function quickAccount(storage: Storage): Promise<Holder> {
  return addAccount(storage, `${crypto.randomUUID()}@example.test`);
}

/** A new account, and a browser that is signed in to it. */
export async function signedIn(
  auth: AuthService,
  storage: Storage,
  jar = new CookieJar(),
): Promise<{ browser: AuthBrowser; person: Holder }> {
  const person = await quickAccount(storage);
  const browser = new AuthBrowser(auth, jar);
  await browser.signIn(person);
  return { browser, person };
}

/** Sets up a second factor in a signed-in browser. Resolves with the address for its app, and the backup codes. */
export async function setUpSecondFactor(browser: AuthBrowser): Promise<{ uri: string; backupCodes: string[] }> {
  const { totpURI, backupCodes } = Setup.parse(await browser.send("/two-factor/enable", { password: PASSWORD }));
  await browser.send("/two-factor/verify-totp", { code: totpCode(totpURI, -1) });
  return { uri: totpURI, backupCodes };
}
