import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { CertificateFolder } from "#certificates/certificate-folder.ts";
import { newKey } from "#certificates/certificate-request.ts";
import { DAY_MS } from "#core/duration.ts";
import { AcmeAuthority } from "./support/acme-authority.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { MailServer } from "./support/mail-server.ts";
import { evaluate, readScrape } from "./support/prom-ql.ts";
import { expectOneFailure, Renewal } from "./support/renewal.ts";
import { ROOT, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";
import { fillDisk, mountSmallDisk } from "./support/small-disk.ts";
import { addAccount, onDatabase } from "./support/test-account.ts";

const disk = temporaryFolder();
/** The reason why no small disk can be mounted here, if there is one. */
const DISK = mountSmallDisk(disk, "16m");
const NAMES = ["plants.localhost", "www.plants.localhost"];

/** A service with DOMAIN over a folder of its own, and its authority. */
class ServiceWithDomain implements AsyncDisposable {
  readonly ports = { PORT: String(freePort()), HTTP_PORT: String(freePort()) };
  readonly #services: TestService[] = [];

  private constructor(readonly folder: string) {}

  authority!: AcmeAuthority;

  static async open(folder = temporaryFolder()): Promise<ServiceWithDomain> {
    const opened = new ServiceWithDomain(folder);
    opened.authority = await AcmeAuthority.start(Number(opened.ports.HTTP_PORT));
    return opened;
  }

  async serve(settings: Record<string, string> = {}): Promise<TestService> {
    const own = { DOMAIN: NAMES.join(), ACME_DIRECTORY: this.authority.directory, HOST: "127.0.0.1", ...this.ports };
    const service = await startService({ engine: "sqlite", folder: this.folder, settings: { ...own, ...settings } });
    this.#services.push(service);
    return service;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const service of this.#services) await service.kill();
    await this.authority.stop();
  }

  get certificates(): CertificateFolder {
    return new CertificateFolder(join(this.folder, "certificates"));
  }

  /** Orders wait before their end until the returned function is called. */
  holdOrders(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.authority.troubles.finishes = promise;
    return resolve;
  }

  proved(): Promise<void> {
    return eventually("the order is proved", () => "challenges" in this.certificates.readState());
  }

  ask(path: string, { PORT } = this.ports): Promise<Response> {
    const tls = { ca: this.authority.cert, serverName: NAMES[0] };
    const headers = { Host: `${NAMES[0]}:${PORT}` };
    return fetch(`https://127.0.0.1:${PORT}${path}`, { headers, keepalive: false, tls });
  }

  askPlain(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.ports.HTTP_PORT}${path}`, { redirect: "manual", ...init });
  }

  isReady(ports = this.ports): Promise<boolean> {
    return this.ask("/readyz", ports).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  ready(ports = this.ports): Promise<void> {
    return eventually("it serves with its certificate", () => this.isReady(ports));
  }
}

function failures(service: TestService): string[] {
  const warnings = service.log().filter(({ level }) => level === "warn");
  return warnings.map(({ msg }) => msg as string).filter((message) => message.startsWith("No new certificate: "));
}

describe("a service with DOMAIN", () => {
  test.concurrent("fetches a certificate for its names and serves with it, from a folder that nobody else can read", async () => {
    await using own = await ServiceWithDomain.open();
    const service = await own.serve({ ACME_EMAIL: "grower@example.com" });
    await own.ready();
    expect(own.authority.orders).toEqual([NAMES]);
    const { path } = own.certificates;
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const files = readdirSync(path);
    expect(files.sort()).toEqual(["account.pem", "certificate.pem", "state.json"]);
    for (const file of files) expect(statSync(join(path, file)).mode & 0o777).toBe(0o600);
    const { location } = (await own.askPlain("/dashboard")).headers.toJSON();
    expect(location).toBe(`https://${NAMES[0]}:${own.ports.PORT}/dashboard`);
    expect((await own.askPlain("/.well-known/acme-challenge/token_0-0")).status).toBe(404);
    const terms = service.log().find(({ msg }) => msg.includes("whose terms you accept"));
    expect(terms).toMatchObject({ names: NAMES, directory: own.authority.directory });
    await service.stop();
    // Another start needs no other certificate.
    await own.serve();
    await own.ready();
    expect(own.authority.issued).toBe(1);
  });

  test.concurrent("answers challenges alone until it has a certificate, and says so", async () => {
    await using own = await ServiceWithDomain.open();
    const finish = own.holdOrders();
    await own.serve();
    await own.proved();
    const answer = await own.askPlain("/dashboard");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await own.askPlain("/readyz")).status).toBe(503);
    expect((await own.askPlain("/healthz")).status).toBe(200);
    expect((await own.askPlain("/v1/plants", { headers: { Authorization: "Bearer x" } })).status).toBe(403);
    expect(await (await own.askPlain("/.well-known/acme-challenge/token_0-0")).text()).toStartWith("token_0-0.");
    expect((await own.askPlain("/.well-known/acme-challenge/__proto__")).status).toBe(404);
    finish();
    await own.ready();
  });

  test.concurrent("renews a certificate when half of its short life is over, under load, without a lost answer", async () => {
    await using own = await ServiceWithDomain.open();
    const { authority } = own;
    authority.lifeMs = 10_000;
    authority.troubles.badNonces = 5;
    const service = await own.serve();
    await own.ready();
    const statuses = new Map<unknown, number>();
    const until = performance.now() + 30_000;
    const load = async () => {
      while (performance.now() < until && authority.issued < 3) {
        const status = await own.ask("/healthz").then(
          (answer) => answer.status,
          (error) => error.code,
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await Bun.sleep(10);
      }
    };
    await Promise.all(Array.from({ length: 4 }, load));
    expect(authority.issued).toBeGreaterThanOrEqual(3);
    expect(failures(service)).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });

  test.concurrent("fetches another certificate for other names, and serves on with the one before until it has it", async () => {
    await using own = await ServiceWithDomain.open();
    await (await served(own)).stop();
    const finish = own.holdOrders();
    await own.serve({ DOMAIN: `${NAMES.join()},new.plants.localhost` });
    await eventually("another is asked for", () => own.authority.orders.length === 2);
    expect(await own.isReady()).toBe(true);
    finish();
    await eventually("it is there", () => own.authority.issued === 2);
  });

  test.concurrent("tells of a certificate that ends and is not renewed: by status, a metric with its alert, and mail to the first account", async () => {
    await using own = await ServiceWithDomain.open();
    const mails = await MailServer.start();
    const settings = { METRICS: `127.0.0.1:${freePort()}`, SMTP_URL: mails.url };
    const { expr } = parse(readFileSync(join(ROOT, "deploy/alerts.yml"), "utf8")).groups[0].rules.find(
      ({ alert }: { alert: string }) => alert === "CertificateEnds",
    );
    const fires = async ({ metrics }: TestService) =>
      evaluate(expr, [readScrape(await metrics(), Date.now() / 1000)]).length > 0;
    const fresh = await served(own, settings);
    expect(await fresh.command("status")).toMatch(
      /https +plants.localhost, www.plants.localhost: by Authority of a test until/,
    );
    expect(await fires(fresh)).toBe(false);
    await fresh.stop();
    await onDatabase(fresh.environment, async (storage) => {
      await addAccount(storage, "first@example.test");
      await addAccount(storage, "second@example.test");
      await storage.db.updateTable("people").set({ email_verified: true }).execute();
    });
    const key = await newKey();
    const old = { names: NAMES, publicKey: key.pair.publicKey, from: Date.now() - 84 * DAY_MS, lifeMs: 90 * DAY_MS };
    own.certificates.writeCertificate(key.pem, await own.authority.certify(old));
    own.authority.troubles.refuses = { status: 403, type: "unauthorized", detail: "not today" };
    const service = await own.serve(settings);
    await eventually("it is told", () => failures(service).length > 0);
    await eventually("the alert fires", () => fires(service));
    const { https } = JSON.parse(await service.command("status", "--json"));
    expect(https).toMatchObject({ names: NAMES, error: expect.stringContaining("refuses: not today") });
    await eventually("a mail came", () => mails.received.length > 0);
    expect(mails.received).toMatchObject([{ to: "first@example.test", subject: "Certificate ends soon" }]);
    await mails.stop();
  });

  test.concurrent("that is killed between the order and the file leaves nothing half, and tries again at the next start", async () => {
    await using own = await ServiceWithDomain.open();
    const finish = own.holdOrders();
    const service = await own.serve();
    await own.proved();
    await service.kill();
    expect(readdirSync(own.certificates.path).sort()).toEqual(["account.pem", "state.json"]);
    finish();
    await own.serve();
    await own.ready();
    expect(own.authority.orders).toHaveLength(2);
  });

  test.concurrent("fetches once where two services on one folder start together", async () => {
    await using own = await ServiceWithDomain.open();
    const finish = own.holdOrders();
    const other = { PORT: String(freePort()), HTTP_PORT: String(freePort()) };
    await own.serve();
    await own.serve(other);
    await eventually("one has asked", () => own.authority.orders.length > 0);
    finish();
    await own.ready();
    await own.ready(other);
    expect(own.authority.orders).toHaveLength(1);
  });

  test.concurrent("leaves another service's certificate in the folder alone, says so, and fetches its own", async () => {
    await using own = await ServiceWithDomain.open();
    const key = await newKey();
    const foreign = { names: ["shop.example"], publicKey: key.pair.publicKey, lifeMs: 90 * DAY_MS };
    own.certificates.writeCertificate(key.pem, await own.authority.certify(foreign));
    const before = readFileSync(own.certificates.certificate, "utf8");
    const finish = own.holdOrders();
    const service = await own.serve();
    await eventually("its own is asked for", () => own.authority.orders.length === 1);
    expect(await own.isReady()).toBe(false);
    finish();
    await own.ready();
    expect(readFileSync(own.certificates.certificate, "utf8")).toBe(before);
    const told = service.log().filter(({ msg }) => msg.includes("belongs to another service, and is left alone"));
    expect(told).toMatchObject([{ level: "warn", names: ["shop.example"] }]);
    await service.stop();
    await own.serve();
    await own.ready();
    expect(own.authority.issued).toBe(1);
  });

  test.concurrent("fetches a certificate anew that is torn on its disk, with one warning", async () => {
    await using own = await ServiceWithDomain.open();
    await (await served(own)).stop();
    const file = own.certificates.certificate;
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.slice(0, whole.lastIndexOf("-----END")));
    const service = await served(own);
    expect(own.authority.issued).toBe(2);
    const warnings = service.log().filter(({ level, msg }) => level === "warn" && msg.includes("certificate"));
    expect(warnings.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^Another certificate is fetched: .* is cut off/),
    ]);
  });

  test.concurrent("serves the names that lead to it where another has no address yet, and status names that one", async () => {
    await using own = await ServiceWithDomain.open();
    own.authority.troubles.nowhere = [NAMES[1] ?? ""];
    const service = await served(own);
    const told = service.log().find(({ msg }) => msg.startsWith(`The certificate is without ${NAMES[1]}: `));
    expect(told).toMatchObject({ level: "warn", next: expect.any(String) });
    const { https } = JSON.parse(await service.command("status", "--json"));
    expect(https).toMatchObject({
      names: [NAMES[0]],
      missing: [NAMES[1]],
      error: expect.stringContaining(NAMES[1] ?? ""),
    });
    expect(await service.command("status")).toContain(`, without ${NAMES[1]}; the attempt at `);
  });

  test.concurrent("leads the pages of another of its names to its first, and answers the API under all", async () => {
    await using own = await ServiceWithDomain.open();
    const service = await served(own);
    const headers = { Host: `${NAMES[1]}:${own.ports.PORT}`, Authorization: `Bearer ${await service.token()}` };
    const tls = { ca: own.authority.cert, serverName: NAMES[1] };
    const ask = (path: string, method = "GET") =>
      fetch(`https://127.0.0.1:${own.ports.PORT}${path}`, { headers, tls, method, redirect: "manual" });
    for (const path of ["/dashboard", "/dashboard/sign-in?back=/docs", "/docs", "/docs/guides/tokens"]) {
      const { status, headers } = await ask(path);
      expect([status, headers.get("location")]).toEqual([307, `https://${NAMES[0]}:${own.ports.PORT}${path}`]);
    }
    for (const path of ["/v1/plants", "/healthz"]) expect((await ask(path)).status).toBe(200);
    expect((await ask("/dashboard/none", "POST")).status).toBe(405);
    expect((await own.ask("/dashboard/sign-in")).status).toBe(200);
  });

  test.concurrent("that asks a silent authority says so in one line after 15 s, and asks again a minute later", async () => {
    const renewal = await Renewal.open({ hangs: "silent" });
    await renewal.run();
    expectOneFailure(renewal, "did not answer within 15 s");
    await renewal.close();
  });

  test.concurrent("renews in time where the authority does not answer when it wants that", async () => {
    const renewal = await Renewal.open({ isSilentOnRenewal: true });
    renewal.authority.renewal = {};
    // Due by the end of the call.
    renewal.authority.lifeMs = 20_000;
    await renewal.run();
    await renewal.run();
    expect(renewal.authority.issued).toBe(2);
    expect(renewal.infos).toContainEqual(expect.stringContaining("did not answer within 15 s"));
    await renewal.close();
  });

  testUnless(
    DISK,
    "whose disk is full serves on with its certificate, says so in one line, and leaves nothing half-written",
    async () => {
      await using own = await ServiceWithDomain.open(mkdtempSync(join(disk, "full-")));
      await (await served(own)).stop();
      const file = own.certificates.certificate;
      const before = readFileSync(file, "utf8");
      const finish = own.holdOrders();
      const service = await own.serve({ DOMAIN: `${NAMES.join()},new.plants.localhost` });
      await own.proved();
      fillDisk(disk);
      finish();
      await eventually("it is told", () => failures(service).length > 0);
      expect(failures(service)).toEqual([
        expect.stringContaining("No new certificate: the disk is full; the next attempt is at "),
      ]);
      expect((await own.ask("/healthz")).status).toBe(200);
      expect(readFileSync(file, "utf8")).toBe(before);
      // The database is on the same disk.
      const ofDatabase = /^The disk of the database takes no writes/;
      expect(service.log().filter(({ level, msg }) => level === "error" && !ofDatabase.test(msg))).toEqual([]);
      rmSync(join(disk, "rest"));
    },
    { concurrent: true },
  );
});

async function served(own: ServiceWithDomain, settings: Record<string, string> = {}): Promise<TestService> {
  const service = await own.serve(settings);
  await own.ready();
  return service;
}
