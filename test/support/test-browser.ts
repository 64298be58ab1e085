import type { NewTokenForm, NewTokenSecret } from "#contract/dashboard/tokens.ts";
import { DEFAULT_SCOPES } from "#core/token.ts";
import { eventually } from "./eventually.ts";
import type { TestService } from "./service.ts";
import { addAccount, onDatabase } from "./test-account.ts";

export interface ClientInfoOptions {
  /** Sent with each request, as a proxy or another browser would. */
  readonly headers?: Record<string, string>;
  /** The origin of the page that sends: the service's own by default, null for a program that is no browser. */
  readonly origin?: string | null;
}

type Answer = (request: Request) => Promise<Response>;

/** A stand-in for a browser: it stores cookies and sends an Origin. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  /** The e-mail address, if a test sets it. */
  signedInAs = "";
  readonly #url: string;
  readonly #answer: Answer;
  readonly #headers: Record<string, string>;

  /** `answer`: of a service that has no port. */
  constructor(
    { url, answer = (request) => fetch(request) }: Pick<TestService, "url"> & { readonly answer?: Answer },
    { headers = {}, origin = url }: ClientInfoOptions = {},
  ) {
    this.#url = url;
    this.#answer = answer;
    this.#headers = {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      ...headers,
    };
    if (origin !== null) this.#headers.Origin = origin;
  }

  get(path: string): Promise<Response> {
    return this.send("GET", path);
  }

  post(path: string, body: unknown = {}): Promise<Response> {
    return this.send("POST", path, body);
  }

  /** The headers that it sends with every request. */
  get headers(): Record<string, string> {
    const Cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { ...this.#headers, ...(Cookie ? { Cookie } : {}) };
  }

  /** A body is sent as JSON, unless it is a Blob. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const request = new Request(this.#url + path, {
      method,
      redirect: "manual",
      headers: {
        ...this.headers,
        ...(body === undefined || body instanceof Blob ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined || body instanceof Blob ? body : JSON.stringify(body),
    });
    const answer = await this.#answer(request);
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return answer;
  }

  signIn(email: string, password: string): Promise<Response> {
    return this.post("/auth/sign-in/email", { email, password });
  }

  /** Makes a token as the Developer tab does. */
  async makeToken({
    name = "Till",
    scopes = [...DEFAULT_SCOPES],
    expires_at = null,
  }: Partial<NewTokenForm> = {}): Promise<NewTokenSecret> {
    const answer = await this.post("/dashboard/api/tokens", { name, scopes, expires_at });
    if (answer.status !== 200) throw new Error(`No token was made: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async signedIn(): Promise<boolean> {
    return (await this.get("/dashboard/api/session")).status === 200;
  }

  /** Another browser with the same cookies, like a thief's. */
  thief(): TestBrowser {
    const thief = new TestBrowser({ url: this.#url });
    for (const [name, value] of this.cookies) thief.cookies.set(name, value);
    return thief;
  }

  /** The same browser for a service that was restarted. */
  at(service: Pick<TestService, "url">): TestBrowser {
    const browser = new TestBrowser(service);
    for (const [name, value] of this.cookies) browser.cookies.set(name, value);
    return browser;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = ""] = pair.split("=", 1);
    if (attributes.some((attribute) => /^max-age=0$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(name.length + 1));
  }
}

export const PASSWORD = "monstera in the rain";
let accounts = 0;

/** A new account that the operator made, and a browser that is signed in to it. */
export async function signedInBrowser(service: TestService): Promise<{ browser: TestBrowser; email: string }> {
  const email = await newAccount(service);
  const browser = new TestBrowser(service);
  const answer = await browser.signIn(email, PASSWORD);
  if (answer.status !== 200) throw new Error(`Cannot sign in: ${answer.status} ${await answer.text()}`);
  return { browser, email };
}

export async function newAccount(service: TestService, passwordHash?: string): Promise<string> {
  const email = `reader${++accounts}-${process.pid}@example.test`;
  await onDatabase(service.environment, (storage) => addAccount(storage, email, passwordHash));
  return email;
}

/** Waits for the link that the service prints for the first account, and returns its code. */
export async function welcomeCode(service: TestService): Promise<string> {
  const printed = () => /\/dashboard\/welcome\?code=([\w-]+)/.exec(service.output())?.[1];
  await eventually("the link is printed", () => printed() !== undefined);
  return printed() ?? "";
}
