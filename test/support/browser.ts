import type { BrowserContext, Page } from "playwright-core";
import { type LaunchedChromium, launchChromium } from "./chromium.ts";
import type { TestService } from "./service.ts";
import { newAccount, PASSWORD, TestBrowser } from "./test-browser.ts";

let shared: Promise<LaunchedChromium> | undefined;

/** One real Chromium for all tests of this process. */
async function sharedBrowser() {
  shared ??= launchChromium();
  const { browser, check } = await shared;
  check();
  return browser;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  /** The language of the browser, English by default. */
  readonly locale?: string;
}

/** A page with its own cookies and storage, which records all complaints of the browser. */
export class TestPage {
  /** Errors and warnings of its console, uncaught errors, and requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    readonly service: TestService,
  ) {}

  static async open(
    service: TestService,
    { width = 1280, height = 900, dark = false, locale = "en-GB" }: PageOptions = {},
  ) {
    const context = await (await sharedBrowser()).newContext({
      baseURL: service.url,
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      locale,
      permissions: ["clipboard-read", "clipboard-write"],
      acceptDownloads: true,
      // Its certificate is of an authority that the browser does not know.
      ignoreHTTPSErrors: service.url.startsWith("https:"),
    });
    context.setDefaultTimeout(60_000);
    // Nobody could answer the browser's question where to save a file.
    await context.addInitScript("delete window.showSaveFilePicker");
    await context.addInitScript(
      `addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective))`,
    );
    const opened = new TestPage(await context.newPage(), context, service);
    opened.#watch();
    return opened;
  }

  /** A page that is signed in to a new account without the form. */
  static async signedIn(service: TestService, options?: PageOptions): Promise<TestPage> {
    const opened = await TestPage.open(service, options);
    await opened.takeSession(await newAccount(service));
    return opened;
  }

  async takeSession(email: string): Promise<void> {
    const browser = new TestBrowser(this.service);
    const answer = await browser.signIn(email, PASSWORD);
    if (answer.status !== 200) throw new Error(`Cannot sign in: ${answer.status}`);
    const cookies = [...browser.cookies].map(([name, value]) => ({ name, value, url: this.service.url }));
    await this.context.addCookies(cookies);
  }

  async goto(path: string): Promise<void> {
    // "~" stands for an address outside of the dashboard.
    await this.page.goto(path.startsWith("~") ? path.slice(1) : `/dashboard${path}`);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
  }

  /** Confirms the reader's identity in the dialog that asks for it. */
  async confirm(code?: string): Promise<void> {
    const dialog = this.page.getByRole("dialog", { name: "Confirm that it is you" });
    await dialog.locator("input[name=password]").fill(PASSWORD);
    if (code !== undefined) await dialog.getByLabel(/^Code/).fill(code);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.waitFor({ state: "detached" });
  }

  /** Copies the secret that a dialog shows once, and closes the dialog, which asks before it says that it was copied. */
  async keepSecret(what: string): Promise<string> {
    await this.page.getByRole("button", { name: `Copy the ${what}` }).click();
    await this.page.getByText("Saved. You can close this.").waitFor();
    const secret = await this.page.evaluate(() => navigator.clipboard.readText());
    await this.page.getByRole("button", { name: "Done" }).click();
    return secret;
  }

  /** A second page of the same browser. */
  async another(): Promise<TestPage> {
    const other = new TestPage(await this.context.newPage(), this.context, this.service);
    other.#watch();
    return other;
  }

  close(): Promise<void> {
    return this.context.close();
  }

  #watch(): void {
    const { page, complaints } = this;
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      // The browser logs every refusal. Each test checks the refusals that it expects.
      if (/^Failed to load resource: the server responded with a status of 4/.test(message.text())) return;
      complaints.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== this.service.url && protocol !== "data:" && protocol !== "blob:") {
        complaints.push(`off the host: ${request.url()}`);
      }
    });
  }
}
