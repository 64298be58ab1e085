import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { dirname, join } from "node:path";
import { connect } from "node:tls";
import { newKey } from "#certificates/certificate-request.ts";
import { DAY_MS } from "#core/duration.ts";
import { type Authority, type Certificate, newAuthority } from "./support/certificates.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { hasEnded } from "./support/process.ts";
import { runCommand, startService, type TestService, temporaryFolder } from "./support/service.ts";
import { everyPlant, SingleCreates } from "./support/single-creates.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";
import { newAccount, PASSWORD, TestBrowser } from "./support/test-browser.ts";
import { startUpload } from "./support/upload.ts";

const LINUX = process.platform === "linux" ? undefined : "servers share a port on Linux only";

let authority: Authority;
let served: ServedHttps;
beforeAll(async () => {
  authority = await newAuthority();
  served = await serveHttps();
});
afterAll(() => served.service.stop());

interface ServedHttps {
  readonly service: TestService;
  readonly url: string;
  readonly plain: string;
  readonly trust: BunFetchRequestInit;
  readonly files: { readonly TLS_CERT_FILE: string; readonly TLS_KEY_FILE: string };
}

function writePair(folder: string, { cert, key }: Certificate) {
  const files = { TLS_CERT_FILE: join(folder, "cert.pem"), TLS_KEY_FILE: join(folder, "key.pem") };
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
  return files;
}

async function serveHttps(settings: Record<string, string> = {}): Promise<ServedHttps> {
  const folder = temporaryFolder();
  const files = writePair(folder, await authority.issue("localhost"));
  const [port, http] = [freePort(), freePort()];
  const ports = { PORT: String(port), HTTP_PORT: String(http) };
  const service = await startService({ engine: "sqlite", folder, settings: { ...ports, ...files, ...settings } });
  const trust = { tls: { ca: authority.cert } };
  return { service, files, trust, url: `https://localhost:${port}`, plain: `http://127.0.0.1:${http}` };
}

/** The fingerprint of the certificate that a new connection is shown. */
function fingerprint({ url }: { readonly url: string }): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
    resolve(socket.getPeerCertificate().fingerprint256);
    socket.destroy();
  });
  socket.on("error", reject);
  return promise;
}

/** Sends a body without end, and resolves with the bytes that were taken until the connection ended, or with a gigabyte. */
function sentUntilEnd(url: string): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const socket = connectPlain({ host: "127.0.0.1", port: Number(new URL(url).port) });
  const send = () => {
    while (socket.bytesWritten < 2 ** 30 && socket.write(Buffer.alloc(2 ** 20)));
    if (socket.bytesWritten >= 2 ** 30) socket.destroy();
  };
  socket.write("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n");
  // Read, so that the end is seen.
  socket.on("connect", send).on("drain", send).resume();
  socket.on("error", () => {}).on("close", () => resolve(socket.bytesWritten));
  return promise;
}

test.concurrent("a service with a certificate of its own serves HTTPS on every address, under the certificate's name, with secure cookies, HSTS and clients' addresses", async () => {
  const { service, url, trust } = served;
  const answer = await fetch(`${url}/readyz`, trust);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("strict-transport-security")).toStartWith("max-age=63072000");
  const email = await newAccount(service);
  const browser = new TestBrowser({ url, answer: (request) => fetch(request, trust) });
  const signedIn = await browser.signIn(email, PASSWORD);
  expect(signedIn.headers.getSetCookie()[0]).toMatch(/^__Host-.*Secure/);
  expect(await (await browser.get("/dashboard/api/session")).json()).toMatchObject({ base_url: url });
  const { sessions } = await (await browser.get("/dashboard/api/sessions")).json();
  expect(["127.0.0.1", "::1"]).toContain(sessions[0].address);
  expect(await service.command("health")).toContain("is ready");
});

test.concurrent("a service with a certificate of its own redirects plain HTTP to HTTPS with its method, answers /healthz, and serves no token and no body without end", async () => {
  const { plain, url } = served;
  const ask = (path: string, init: RequestInit = {}) => fetch(plain + path, { redirect: "manual", ...init });
  for (const [path, method] of [
    ["/", "GET"],
    ["/dashboard/plants?q=a%20b", "GET"],
    ["/readyz", "GET"],
    ["/v1/plants", "POST"],
  ] as const) {
    const answer = await ask(path, { method });
    expect([answer.status, answer.headers.get("location")]).toEqual([308, url + path]);
  }
  expect((await ask("/x", { headers: { Host: "evil.example" } })).headers.get("location")).toBe(`${url}/x`);
  expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
  expect((await ask("/.well-known/acme-challenge/abc")).status).toBe(404);
  expect(await sentUntilEnd(plain)).toBeLessThan(64 * 2 ** 20);
  const refused = await ask("/v1/plants", { headers: { Authorization: `Bearer ${await served.service.token()}` } });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({ error: 40360, message: expect.stringContaining(`Use https: ${url}`) });
});

test.concurrent("a service with a certificate of its own serves no half-written pair: it goes on with the one before, in one line, and takes the next whole one", async () => {
  const { service, files, trust, url } = await serveHttps();
  const before = await fingerprint({ url });
  const next = await authority.issue("localhost");
  writeFileSync(files.TLS_CERT_FILE, next.cert);
  const warnings = () =>
    service
      .log()
      .filter(({ level }) => level === "warn")
      .map(({ msg }) => msg);
  const told = "is not the certificate of this key";
  await eventually("it is told", () => warnings().some((message) => message.includes(told)));
  expect(await fingerprint({ url })).toBe(before);
  writeFileSync(files.TLS_CERT_FILE, next.cert + authority.cert.slice(0, 200));
  await eventually("it is told", () => warnings().some((message) => /TLS_CERT_FILE .* is cut off/.test(message)));
  expect(await fingerprint({ url })).toBe(before);
  writeFileSync(files.TLS_CERT_FILE, next.cert);
  writeFileSync(files.TLS_KEY_FILE, next.key.slice(0, 60));
  await eventually("it is told", () => warnings().some((message) => message.includes("has no key in PEM format")));
  writeFileSync(files.TLS_KEY_FILE, next.key);
  await eventually("the new one is served", async () => (await fingerprint({ url })) !== before);
  const key = await newKey();
  const past = { names: ["localhost"], publicKey: key.pair.publicKey, from: Date.now() - 2 * DAY_MS, lifeMs: DAY_MS };
  writePair(dirname(files.TLS_CERT_FILE), { key: key.pem, cert: await authority.certify(past) });
  await eventually("it is told", () => warnings().some((message) => /TLS_CERT_FILE .* has ended at/.test(message)));
  expect(warnings().filter((message) => message.startsWith("The new certificate"))).toHaveLength(4);
  expect((await fetch(`${url}/readyz`, trust)).status).toBe(200);
  await service.stop();
});

test.concurrent("a service with a certificate of its own takes a new certificate under load without a lost request; streams and uploads go on to their end", async () => {
  const current = await serveHttps();
  const { service, trust, url } = current;
  const token = await service.token();
  const stream = await fetch(`${url}/v1/events`, {
    ...trust,
    headers: { Authorization: `Bearer ${token}`, Accept: "text/event-stream" },
  });
  // Read all the while: the service cuts a stream off whose reader takes nothing.
  const { promise: isSeen, resolve: see, reject: isCut } = Promise.withResolvers<void>();
  let text = "";
  let last: number | undefined;
  const look = () => last !== undefined && text.includes(`"id":${last},`) && see();
  stream.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeTo(
      new WritableStream({
        write(chunk) {
          text += chunk;
          look();
        },
      }),
    )
    .then(() => isCut(new Error("The stream ended")), isCut);
  const uploader = await service.token();
  const upload = startUpload({ url }, uploader, trust);
  upload.send(10);
  const loads = [
    new SingleCreates(url, token, 8, trust),
    new SingleCreates(url, token, 8, { ...trust, keepalive: false }),
  ];
  for (let round = 0; round < 2; round++) {
    const before = await fingerprint(current);
    writePair(service.folder, await authority.issue("localhost"));
    await eventually("the new certificate is served", async () => (await fingerprint(current)) !== before);
    // The listener before has stopped.
    await Bun.sleep(1500);
    const counts = loads.map((load) => load.acknowledged.size);
    await Promise.all(loads.map((load, at) => load.acknowledges((counts[at] ?? 0) + 50)));
    expect(new Set(await Promise.all(Array.from({ length: 8 }, () => fingerprint(current)))).size).toBe(1);
  }
  await Promise.all(loads.map((load) => load.end()));
  for (const load of loads) expect([[...load.unanswered], [...load.refused]]).toEqual([[], []]);
  const stored = await everyPlant(url, token, trust);
  for (const load of loads) expect([...load.acknowledged].filter((id) => !stored.has(id))).toEqual([]);
  upload.send(10);
  upload.end();
  expect(await (await upload.answer).json()).toMatchObject({ created: 20, failed: 0 });
  last = [...(loads[1]?.acknowledged ?? [])].at(-1);
  look();
  await isSeen;
  await service.stop();
  expect(service.output()).not.toContain('"level":"error"');
}, 60_000);

testUnless(
  missingProgram("openssl"),
  "a service with a certificate of its own speaks TLS 1.2 and 1.3, and nothing older",
  async () => {
    const versions = ["-tls1", "-tls1_1", "-tls1_2", "-tls1_3"];
    const address = `127.0.0.1:${new URL(served.url).port}`;
    const speaks = versions.filter((version) => {
      const args = ["s_client", "-connect", address, version, "-cipher", "DEFAULT:@SECLEVEL=0"];
      return Bun.spawnSync(["openssl", ...args], { stdin: Buffer.from("Q\n") }).success;
    });
    expect(speaks).toEqual(["-tls1_2", "-tls1_3"]);
  },
  { concurrent: true },
);

testUnless(
  missingProgram("prlimit"),
  "a service with a certificate of its own takes a new certificate later where too many files are open to read it, and says so once",
  async () => {
    const current = await serveHttps();
    const { service, files } = current;
    const { pid } = service.process;
    const before = await fingerprint(current);
    const limit = (files: string) => Bun.spawnSync(["prlimit", `--pid=${pid}`, `--nofile=${files}`]);
    limit("3:");
    writePair(dirname(files.TLS_CERT_FILE), await authority.issue("localhost"));
    const told = () => service.output().split("cannot be read (EMFILE)").length - 1;
    await eventually("it is told", () => told() > 0);
    limit("1024:");
    await eventually("the new one is served", async () => (await fingerprint(current)) !== before);
    expect(told()).toBe(1);
    await service.stop();
  },
  { concurrent: true },
);

testUnless(
  LINUX,
  "a service with a certificate of its own hands over to a new server as without TLS, on both ports",
  async () => {
    const { service, url, plain, trust } = await serveHttps({ TAKE_OVER: "1" });
    const token = await service.token();
    const load = new SingleCreates(url, token, 8, trust);
    await load.acknowledges(50);
    const { pid } = JSON.parse(await runCommand(service.environment, service.folder, ["restart", "--json"]));
    try {
      await load.acknowledges(load.acknowledged.size + 50);
      await load.end();
      expect([[...load.unanswered], [...load.refused]]).toEqual([[], []]);
      expect(await service.process.exited).toBe(0);
      expect((await fetch(`${plain}/healthz`)).status).toBe(200);
    } finally {
      process.kill(pid, "SIGTERM");
      await eventually("the new server has ended", () => hasEnded(pid));
    }
  },
  { concurrent: true },
);

async function problem(settings: Record<string, string>): Promise<string> {
  const environment = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: `sqlite:${join(temporaryFolder(), "p.db")}`,
    ...settings,
  };
  return runCommand(environment, temporaryFolder(), ["serve"]).then(
    () => "",
    (error) => String(error),
  );
}

test.concurrent("a start with files that are no certificate and its key ends with one sentence", async () => {
  const folder = temporaryFolder();
  const [one, other] = [await authority.issue("localhost"), await authority.issue("localhost")];
  const files = writePair(folder, { cert: one.cert, key: other.key });
  const own = { ...files, PORT: String(freePort()), HTTP_PORT: "0" };
  const noText = join(folder, "text.pem");
  const ended = join(folder, "ended.pem");
  const key = await newKey();
  const past = { names: ["localhost"], publicKey: key.pair.publicKey, from: Date.now() - 2 * DAY_MS, lifeMs: DAY_MS };
  writeFileSync(ended, key.pem + (await authority.certify(past)));
  writeFileSync(noText, "text");
  expect(
    await Promise.all([
      problem(own),
      problem({ ...own, TLS_KEY_FILE: join(folder, "no.pem") }),
      problem({ ...own, TLS_CERT_FILE: noText }),
      problem({ ...own, TLS_CERT_FILE: ended, TLS_KEY_FILE: ended }),
    ]),
  ).toEqual([
    expect.stringContaining("is not the certificate of this key"),
    expect.stringContaining("cannot be read (ENOENT)"),
    expect.stringMatching(/: TLS_CERT_FILE .* holds no certificate in PEM format\n?$/),
    expect.stringMatching(/: TLS_CERT_FILE .* has ended at .*: put a new one there\n?$/),
  ]);
});

test.concurrent("a start with HTTP_PORT in use names it", async () => {
  const busy = new URL(served.plain).port;
  const settings = { ...served.files, PORT: String(freePort()), HTTP_PORT: busy };
  expect(await problem(settings)).toContain(`HTTP_PORT ${busy} on HOST 0.0.0.0,:: is in use by another program`);
});
