import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IdentityProvider } from "#accounts/identity-provider.ts";
import { openStorage } from "#storage/open.ts";
import { AuthBrowser, openAuth } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { addAccount } from "#test/support/test-account.ts";

/**
 * The processor time of a sign-in by an identity provider, of one with a password, and of four requests to the provider
 * without anything else, in paired rounds after a warm-up; and of the first sign-ins of a process. All in this process, while
 * the provider of the tests is another: `bun bench/provider.ts`.
 */
const [WARM_UP, ROUNDS] = [300, 100];
const folder = mkdtempSync(join(tmpdir(), "plantstore-"));
const storage = await openStorage(`sqlite:${join(folder, "plantstore.db")}`);
const program =
  'import { TestIdentityProvider } from "#test/support/identity-provider.ts"; console.log(new TestIdentityProvider().issuer)';
const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", cwd: join(import.meta.dir, "..") });
const { value } = await child.stdout.getReader().read();
const issuer = new TextDecoder().decode(value).trim();
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
const person = await addAccount(storage, "owner@example.test");
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

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]?.toFixed(2);
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
  `ms of processor time, medians: provider ${median(times.provider)}, password ${median(times.password)}, four bare requests ${median(times.requests)} (${ROUNDS} rounds after ${WARM_UP} sign-ins); the first 20 sign-ins ${median(first)}`,
);
child.kill();
await storage.records.close();
rmSync(folder, { recursive: true });
process.exit(0);
