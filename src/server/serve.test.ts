import { expect, test } from "bun:test";
import { join } from "node:path";
import { TestIdentityProvider } from "#test/support/identity-provider.ts";
import { outcomeOf } from "#test/support/process.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";

test("a start that is told to stop ends without a warning of what it had begun", async () => {
  const lines: string[] = [];
  const line = (_: object, message: string) => void lines.push(message);
  const log = {
    error: line,
    warn: line,
    info: line,
    debug: line,
    debugEnabled: false,
    always: { info: line, warn: line },
  };
  const stopping = new AbortController();
  // It is told between the opening of the database and the listening.
  let looks = 0;
  stopping.signal.throwIfAborted = () => {
    if (++looks === 2) throw "SIGTERM";
  };
  const settings = readSettings({ DATABASE_URL: `sqlite:${join(temporaryFolder(), "plantstore.db")}`, PORT: "0" });
  const serving = serve(settings, { ...log, lostLines: 0, writeSummaries() {} }, { signal: stopping.signal });
  expect(await serving.catch((reason) => reason)).toBe("SIGTERM");
  await Bun.sleep(50);
  expect(lines).toEqual([]);
});

/** Serves without and with a provider, and begins a sign-in. Prints after each whether the library is loaded. */
const LOADING = `
  import { createLog } from "#observability/log.ts";
  import { serve } from "#server/serve.ts";
  import { readSettings } from "#server/settings.ts";
  const log = createLog({ level: "error", format: "json", colors: false });
  const printed = () => console.log("loaded:", Object.keys(require.cache).some((path) => path.includes("/openid-client/")));
  const start = async (settings) => {
    const { server } = await serve(readSettings({ PORT: "0", ...settings }), log);
    await (await fetch(server.origin + "/dashboard/api/welcome")).text();
    printed();
    return server.origin;
  };
  await start({ DATABASE_URL: process.env.FIRST });
  const BASE_URL = "http://localhost:3000";
  const given = { DATABASE_URL: process.env.SECOND, BASE_URL, OIDC_ISSUER: process.env.ISSUER, OIDC_CLIENT_ID: "plants" };
  const url = await start(given);
  const headers = { "Content-Type": "application/json", Origin: BASE_URL };
  await fetch(url + "/auth/oidc/begin", { method: "POST", headers, body: JSON.stringify({ purpose: "sign-in" }) });
  printed();
  process.exit();`;

test("the library for identity providers is loaded by the first sign-in at one, and without one never", async () => {
  const [FIRST, SECOND] = [1, 2].map(() => `sqlite:${join(temporaryFolder(), "plantstore.db")}`);
  const env = { ...process.env, FIRST, SECOND, ISSUER: new TestIdentityProvider().issuer };
  const { out, problem } = await outcomeOf(
    Bun.spawn([process.execPath, "-e", LOADING], { cwd: ROOT, env, stdout: "pipe", stderr: "pipe" }),
  );
  expect([out.match(/loaded: \w+/g), problem]).toEqual([["loaded: false", "loaded: false", "loaded: true"], ""]);
});
