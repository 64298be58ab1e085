import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IdentityProvider } from "#accounts/identity-provider.ts";
import { openStorage } from "#storage/open.ts";
import { AuthBrowser, openAuth } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { residentBytes } from "#test/support/process.ts";
import { startService } from "#test/support/service.ts";
import { addAccount, SLOW_HASH } from "#test/support/test-account.ts";
import { median } from "./median.ts";

/**
 * What a service costs that has an identity provider, before anybody signs in by it: starts with and without, by turns. Then
 * the processor time of a sign-in by an identity provider, of one with a password, and of four requests to the provider
 * without anything else, in paired rounds after a warm-up; and of the first sign-ins of a process. The sign-ins are
 * in this process, while the provider of the tests is another: `bun bench/provider.ts`.
 */
const [STARTS, WARM_UP, ROUNDS] = [12, 300, 100];
const folder = mkdtempSync(join(tmpdir(), "plantstore-"));
const storage = await openStorage(`sqlite:${join(folder, "plantstore.db")}`);
const program =
  'import { TestIdentityProvider } from "#test/support/identity-provider.ts"; console.log(new TestIdentityProvider().issuer)';
const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", cwd: join(import.meta.dir, "..") });
const { value } = await child.stdout.getReader().read();
const issuer = new TextDecoder().decode(value).trim();

/** Until it serves, its memory a second later, and what a visitor of the sign-in page is sent. */
async function start(settings: Record<string, string>) {
  const began = performance.now();
  const service = await startService({ engine: "sqlite", settings });
  const ms = performance.now() - began;
  const sent = ["/dashboard/sign-in", "/dashboard/api/welcome"].map((path) => fetch(service.url + path));
  const bodies = await Promise.all((await Promise.all(sent)).map((answer) => answer.bytes()));
  await Bun.sleep(1000);
  const mb = residentBytes(service.process.pid) / 2 ** 20;
  await service.stop();
  return { ms, mb, bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

const given = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: "plants", BASE_URL: "http://localhost:3000" };
const starts: Record<"with" | "without", Awaited<ReturnType<typeof start>>[]> = { with: [], without: [] };
for (let round = 0; round < STARTS; round++) {
  starts.without.push(await start({}));
  starts.with.push(await start(given));
}
for (const [name, each] of Object.entries(starts)) {
  const of = (figure: "ms" | "mb" | "bytes") => median(each.map((one) => one[figure])).toFixed(2);
  console.log(
    `${name} a provider: ${of("ms")} ms to start, ${of("mb")} MB, ${of("bytes")} bytes; medians of ${STARTS} starts`,
  );
}
const before = process.memoryUsage.rss();
const started = performance.now();
await import("openid-client");
console.log(
  `library: ${(performance.now() - started).toFixed(1)} ms, ${((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(1)} MiB`,
);
const provider = new IdentityProvider({ issuer, clientId: "plants", clientSecret: "secret", claims: [] });
const auth = openAuth(storage, {
  identities: { name: "Bench", only: false, members: [{ claim: undefined, value: "", role: "viewer" }], provider },
});
const person = await addAccount(storage, "owner@example.test", SLOW_HASH);
let networks = 0;
const browser = () => {
  const jar = new CookieJar();
  jar.address = `10.0.${networks >> 8}.${networks++ & 255}`;
  return new AuthBrowser(auth, jar);
};

/** Both requests of a sign-in, without the provider's. */
async function byProvider() {
  const by = browser();
  let url = "";
  const begun = await cost(async () => {
    ({ url } = (await by.send("/oidc/begin", { purpose: "sign-in" })) as { url: string });
  });
  const page = await (await fetch(url)).text();
  const [, search = ""] = /sign-in(\?[^"]+)">Agree/.exec(page) ?? [];
  return begun + (await cost(() => by.send("/oidc/finish", { search })));
}

async function cost(act: () => Promise<unknown>) {
  const start = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function fourRequests() {
  for (let count = 0; count < 4; count++) await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
}

const first: number[] = [];
for (let round = 0; round < WARM_UP; round++) {
  const time = await byProvider();
  if (round < 20) first.push(time);
  // A person signs in 120 times an hour at most.
  if (round % 100 === 99) await storage.db.deleteFrom("attempts").execute();
}
const times: Record<"provider" | "password" | "requests", number[]> = { provider: [], password: [], requests: [] };
for (let round = 0; round < ROUNDS; round++) {
  times.provider.push(await byProvider());
  times.password.push(await cost(() => browser().signIn(person)));
  times.requests.push(await cost(fourRequests));
}
console.log(
  `ms of processor time, medians: provider ${median(times.provider).toFixed(2)}, password ${median(times.password).toFixed(2)}, four bare requests ${median(times.requests).toFixed(2)} (${ROUNDS} rounds after ${WARM_UP} sign-ins); the first 20 sign-ins ${median(first).toFixed(2)}`,
);
child.kill();
await storage.records.close();
rmSync(folder, { recursive: true });
process.exit(0);
