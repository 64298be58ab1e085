import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import chromiumPackage from "@sparticuz/chromium";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { TestService } from "./service.ts";
import { newAccount, PASSWORD, TestBrowser } from "./test-browser.ts";

/** As root there is no sandbox; the rest keeps the browser from calling anybody by itself. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

let shared: Promise<Browser> | undefined;

/** One real Chromium for all tests of the run; it ends with the process. */
function browser(): Promise<Browser> {
  shared ??= launch();
  return shared;
}

async function launch(): Promise<Browser> {
  const executablePath = await chromiumPackage.executablePath();
  const options = { executablePath, args: ARGUMENTS };
  try {
    return await chromium.launch(options);
  } catch {
    return chromium.launch({ ...options, env: await withBundledLibraries() }).catch((cause) => {
      const hint = "Chromium does not start. On Debian it needs: apt-get install libnss3 libnspr4 libexpat1";
      throw new Error(hint, { cause });
    });
  }
}

/** The shared libraries that come with the package, for a machine that has none of its own. */
async function withBundledLibraries(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "plantstore-chromium-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const archive = new URL("../../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium"));
  const tar = brotliDecompressSync(await Bun.file(archive).bytes());
  await Bun.spawn(["tar", "-x", "-C", folder], { stdin: tar }).exited;
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, LD_LIBRARY_PATH: join(folder, "lib") };
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

/** A page of a browser of its own as far as cookies and storage go, and everything it should not have done. */
export class TestPage {
  /** Errors and warnings of its console, uncaught errors, and requests that went off the host. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    readonly service: TestService,
  ) {}

  static async open(service: TestService, { width = 1280, height = 900, dark = false }: PageOptions = {}) {
    const context = await (await browser()).newContext({
      baseURL: service.url,
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce",
      locale: "en-GB",
      permissions: ["clipboard-read", "clipboard-write"],
      acceptDownloads: true,
    });
    context.setDefaultTimeout(25_000);
    // Where the browser asks where to save, nobody would answer.
    await context.addInitScript("delete window.showSaveFilePicker");
    await context.addInitScript(
      `addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective))`,
    );
    const opened = new TestPage(await context.newPage(), context, service);
    opened.#watch();
    return opened;
  }

  /** Signed in to a new account, without the detour over the form. */
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
    await this.page.goto(`/dashboard${path}`);
    await this.page.getByRole("heading", { level: 1 }).waitFor();
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
      // The browser itself notes every refusal; which ones are right is for each test to say.
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
