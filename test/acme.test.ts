import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { AcmeAuthority, type Troubles } from "./support/acme-authority.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { MailServer } from "./support/mail-server.ts";
import { evaluate, readScrape } from "./support/prom-ql.ts";
import { ROOT, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";
import { fillDisk, mountSmallDisk } from "./support/small-disk.ts";
import { addAccount, onDatabase } from "./support/test-account.ts";

const disk = temporaryFolder();
/** The reason why no small disk can be mounted here, if there is one. */
const DISK = mountSmallDisk(disk, "16m");
const NAMES = ["plants.localhost", "www.plants.localhost"];

let authority: AcmeAuthority;
let service: TestService;
let ports: { readonly PORT: string; readonly HTTP_PORT: string };
let folder: string;
beforeEach(async () => {
  ports = { PORT: String(freePort()), HTTP_PORT: String(freePort()) };
  authority = await AcmeAuthority.start(Number(ports.HTTP_PORT));
  folder = temporaryFolder();
});
afterEach(() => service.kill());

async function serve(settings: Record<string, string> = {}): Promise<void> {
  const own = { DOMAIN: NAMES.join(), ACME_DIRECTORY: authority.directory, HOST: "127.0.0.1", ...ports };
  service = await startService({ engine: "sqlite", folder, settings: { ...own, ...settings } });
}

const certificates = () => join(folder, "certificates");
function state() {
  const file = join(certificates(), "state.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}
const warnings = () =>
  service
    .log()
    .filter(({ level }) => level === "warn")
    .map(({ msg }) => msg as string);
const failures = () => warnings().filter((message) => message.startsWith("No new certificate: "));

function ask(path: string, init: BunFetchRequestInit = {}): Promise<Response> {
  const tls = { ca: authority.cert, serverName: NAMES[0] };
  const headers = { Host: `${NAMES[0]}:${ports.PORT}` };
  return fetch(`https://127.0.0.1:${ports.PORT}${path}`, { headers, keepalive: false, tls, ...init });
}

function askPlain(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${ports.HTTP_PORT}${path}`, { redirect: "manual", ...init });
}

const isReady = () =>
  ask("/readyz").then(
    ({ ok }) => ok,
    () => false,
  );
const ready = () => eventually("it serves with its certificate", isReady);

describe("a service with DOMAIN", () => {
  test("fetches a certificate for its names and serves with it, from a folder that nobody else can read", async () => {
    await serve({ ACME_EMAIL: "grower@example.com" });
    await ready();
    expect(authority.orders).toEqual([NAMES]);
    expect(statSync(certificates()).mode & 0o777).toBe(0o700);
    const files = readdirSync(certificates());
    expect(files.sort()).toEqual(["account.pem", "certificate.pem", "state.json"]);
    for (const file of files) expect(statSync(join(certificates(), file)).mode & 0o777).toBe(0o600);
    expect((await askPlain("/dashboard")).headers.get("location")).toBe(`https://${NAMES[0]}:${ports.PORT}/dashboard`);
    expect((await askPlain("/.well-known/acme-challenge/token_0-0")).status).toBe(404);
    const terms = service.log().find(({ msg }) => msg.includes("whose terms you accept"));
    expect(terms).toMatchObject({ names: NAMES, directory: authority.directory });
    await service.stop();
    // Another start needs no other certificate.
    await serve();
    await ready();
    expect(authority.issued).toBe(1);
  });

  test("answers challenges alone until it has a certificate, and says so", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    authority.troubles.finishes = promise;
    await serve();
    await eventually("the order is proved", () => "challenges" in state());
    const answer = await askPlain("/dashboard");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await askPlain("/readyz")).status).toBe(503);
    expect((await askPlain("/healthz")).status).toBe(200);
    expect((await askPlain("/v1/plants", { headers: { Authorization: "Bearer x" } })).status).toBe(403);
    expect(await (await askPlain("/.well-known/acme-challenge/token_0-0")).text()).toStartWith("token_0-0.");
    expect((await askPlain("/.well-known/acme-challenge/__proto__")).status).toBe(404);
    resolve();
    await ready();
  });

  test("renews a certificate when half of its short life is over, under load, without a lost answer", async () => {
    authority.lifeMs = 10_000;
    authority.troubles.badNonces = 5;
    await serve();
    await ready();
    const statuses = new Map<unknown, number>();
    const until = performance.now() + 20_000;
    const load = async () => {
      while (performance.now() < until && authority.issued < 3) {
        const status = await ask("/healthz").then(
          (answer) => answer.status,
          (error) => error.code,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 4 }, load));
    expect(authority.issued).toBeGreaterThanOrEqual(3);
    expect(failures()).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });

  test("fetches another certificate for other names, and serves on with the one before until it has it", async () => {
    await serve();
    await ready();
    await service.stop();
    const { promise, resolve } = Promise.withResolvers<void>();
    authority.troubles.finishes = promise;
    await serve({ DOMAIN: `${NAMES.join()},new.plants.localhost` });
    await eventually("another is asked for", () => authority.orders.length === 2);
    expect(await isReady()).toBe(true);
    resolve();
    await eventually("it is there", () => authority.issued === 2);
  });

  test("tells of a certificate that ends and is not renewed: by status, a metric with its alert, and mail to the first account", async () => {
    authority.lifeMs = 8000;
    const mails = await MailServer.start();
    const settings = { METRICS: `127.0.0.1:${freePort()}`, SMTP_URL: mails.url };
    await serve(settings);
    await ready();
    expect(await service.command("status")).toMatch(
      /https +plants.localhost, www.plants.localhost: by Authority of a test until/,
    );
    const { expr } = parse(readFileSync(join(ROOT, "deploy/alerts.yml"), "utf8")).groups[0].rules.find(
      ({ alert }: { alert: string }) => alert === "CertificateEnds",
    );
    const fires = async () => evaluate(expr, [readScrape(await service.metrics(), Date.now() / 1000)]).length > 0;
    expect(await fires()).toBe(false);
    await service.stop();
    await onDatabase(service.environment, async (storage) => {
      const { account } = await addAccount(storage, "first@example.test");
      await addAccount(storage, "second@example.test");
      await storage.db.updateTable("accounts").set({ email_verified: true }).execute();
      return account;
    });
    authority.troubles.refuses = { status: 403, type: "unauthorized", detail: "not today" };
    await Bun.sleep(7000);
    await serve(settings);
    await eventually("it is told", () => failures().length > 0);
    await eventually("the alert fires", fires);
    const { https } = JSON.parse(await service.command("status", "--json"));
    expect(https).toMatchObject({ names: NAMES, error: expect.stringContaining("refuses: not today") });
    await eventually("a mail came", () => mails.received.length > 0);
    expect(mails.received).toMatchObject([{ to: "first@example.test", subject: "Certificate ends soon" }]);
    await mails.stop();
  }, 60_000);

  test("that is killed between the order and the file leaves nothing half, and tries again at the next start", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    authority.troubles.finishes = promise;
    await serve();
    await eventually("the order is proved", () => "challenges" in state());
    await service.kill();
    expect(readdirSync(certificates()).sort()).toEqual(["account.pem", "state.json"]);
    resolve();
    // As if the half minute had passed for which the lease of a killed process lasts.
    await onDatabase(service.environment, ({ db }) => db.deleteFrom("leases").execute());
    await serve();
    await ready();
    expect(authority.orders).toHaveLength(2);
  });

  testUnless(
    DISK,
    "whose disk is full serves on with its certificate, says so in one line, and leaves nothing half-written",
    async () => {
      folder = mkdtempSync(join(disk, "full-"));
      await serve();
      await ready();
      await service.stop();
      const before = readFileSync(join(certificates(), "certificate.pem"), "utf8");
      const { promise, resolve } = Promise.withResolvers<void>();
      authority.troubles.finishes = promise;
      await serve({ DOMAIN: `${NAMES.join()},new.plants.localhost` });
      await eventually("the order is proved", () => "challenges" in state());
      fillDisk(disk);
      resolve();
      await eventually("it is told", () => failures().length > 0);
      expect(failures()).toEqual([
        expect.stringContaining("No new certificate: the disk is full; the next attempt is at "),
      ]);
      expect((await ask("/healthz")).status).toBe(200);
      expect(readFileSync(join(certificates(), "certificate.pem"), "utf8")).toBe(before);
      expect(service.log().filter(({ level }) => level === "error")).toEqual([]);
      rmSync(join(disk, "rest"));
    },
  );

  test("fetches once where two services on one folder start together", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    authority.troubles.finishes = promise;
    await serve();
    const first = service;
    const other = { PORT: String(freePort()), HTTP_PORT: String(freePort()) };
    await serve(other);
    await eventually("one has asked", () => authority.orders.length > 0);
    resolve();
    await ready();
    const second = `https://127.0.0.1:${other.PORT}/readyz`;
    const tls = { ca: authority.cert, serverName: NAMES[0] };
    await eventually("the other serves with it too", () =>
      fetch(second, { tls }).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    expect(authority.orders).toHaveLength(1);
    await first.kill();
  });
});

describe("an authority", () => {
  const limited = { status: 429, type: "rateLimited", detail: "too many certificates for plants.localhost" };
  test.each<[string, Troubles | "down", string]>([
    ["that limits", { refuses: limited }, "refuses: too many certificates for plants.localhost"],
    ["that gives a certificate of another key", { gives: "other-key" }, "is not the certificate of this key"],
    ["that gives a certificate for another name", { gives: "other-name" }, "without the name plants.localhost"],
    ["whose answer has no end", { hangs: "endless" }, "its answer is larger than 256 KiB"],
    ["that is silent", { hangs: "silent" }, "did not answer within 15 s"],
    ["whose clock is another", { clockMs: 86_400_000 }, "the clock of this machine says"],
    ["that is down", "down", "cannot be used: "],
  ])(
    "%s is told of in one line, and asked again a minute later",
    async (_, troubles, sentence) => {
      if (troubles === "down") await authority.stop();
      else Object.assign(authority.troubles, troubles);
      await serve();
      await eventually("it is told", () => failures().length > 0);
      expect(failures()).toEqual([expect.stringContaining(sentence)]);
      expect(state().nextAt - state().lastAt).toBeGreaterThanOrEqual(60_000);
      expect(readdirSync(certificates())).not.toContain("certificate.pem");
      expect((await askPlain("/")).status).toBe(503);
    },
    30_000,
  );

  test("that fails on is asked after 1, 5, 15 and 60 minutes, then every 6 hours, over restarts too", async () => {
    authority.troubles.refuses = { status: 403, type: "unauthorized", detail: "no" };
    const minutes: number[] = [];
    for (let round = 0; round < 6; round++) {
      await serve();
      await eventually("it is told", () => failures().length > 0);
      const { nextAt, lastAt } = state();
      minutes.push(Math.floor((nextAt - lastAt) / 60_000));
      const orders = authority.orders.length;
      await service.stop();
      if (round === 0) {
        await serve();
        await eventually("the job has run", async () => service.output().includes("waits for the first"));
        await service.stop();
        expect(authority.orders).toHaveLength(orders);
      }
      // As if the time had passed.
      await Bun.write(join(certificates(), "state.json"), JSON.stringify({ ...state(), nextAt: Date.now() }));
    }
    expect(minutes).toEqual([1, 5, 15, 60, 360, 360]);
  });
});
