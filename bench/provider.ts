import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IdentityProvider } from "#accounts/identity-provider.ts";
import { openStorage } from "#storage/open.ts";
import { AuthBrowser, openAuth } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { addAccount } from "#test/support/test-account.ts";

/**
 * The processor time of a sign-in by an identity provider and of one with a password, in paired rounds, in this process,
 * while the provider of the tests is another: `bun bench/provider.ts`.
 */
const ROUNDS = 40;
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
/** The processor time of both requests of a sign-in, without the provider's. */
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
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]?.toFixed(2);
const times: { provider: number[]; password: number[] } = { provider: [], password: [] };
for (let round = 0; round < ROUNDS; round++) {
  times.provider.push(await byProvider());
  times.password.push(await cost(() => browser().signIn(person)));
}
console.log(
  `provider ${median(times.provider)} ms, password ${median(times.password)} ms of processor time, median of ${ROUNDS}`,
);
child.kill();
await storage.records.close();
rmSync(folder, { recursive: true });
process.exit(0);
