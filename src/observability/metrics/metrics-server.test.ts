import { afterAll, expect, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import { exchange } from "#test/support/raw-connection.ts";
import { rawRequest } from "#test/support/raw-request.ts";
import { serveMetrics } from "./metrics-server.ts";
import { processSeries } from "./process-metrics.ts";

const TOKEN = "a token of sixteen or more";
const series = () => processSeries({ version: "1.0.0", runtime: "Bun" });
const refusal = ({ code, detail }: Failure) => new Response(code, { status: 400, ...detail });
const options = { hostname: "127.0.0.1", port: 0, sharesPort: false, series, refusal };
const open = serveMetrics({ ...options, token: undefined });
const guarded = serveMetrics({ ...options, token: TOKEN });
afterAll(() => Promise.all([open.stop(true), guarded.stop(true)]));

const ask = ({ port }: typeof open, path = "/metrics", init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, init);

test("a scrape is answered in Prometheus' text format, at this address alone, which is only read", async () => {
  const answer = await ask(open);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  expect(text).toContain('plantstore_build_info{version="1.0.0",runtime="Bun"} 1');
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"]) {
    expect(Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1])).toBeGreaterThan(0);
  }
  expect(await (await ask(open, "/metrics/")).text()).toBe("address-unknown");
  const posted = await ask(open, "/metrics", { method: "POST" });
  expect([await posted.text(), posted.headers.get("allow")]).toEqual(["method-not-allowed", "GET, HEAD"]);
  expect((await ask(open, "/metrics", { method: "HEAD" })).status).toBe(200);
});

test("a scrape by HTTP/1.0 without Host is answered, and one whose Host makes no address is refused", async () => {
  const scrape = async (version: string, hosts: string[]) => {
    const sent = rawRequest({ method: "GET", target: "/metrics", version, hosts });
    return (await exchange(`${open.url}`, sent))[0]?.status;
  };
  expect(await scrape("HTTP/1.0", [])).toBe(200);
  expect(await scrape("HTTP/1.1", ["Host: ["])).toBe(400);
});

test("a scrape needs the token where there is one", async () => {
  const scrape = (Authorization: string) => ask(guarded, "/metrics", { headers: { Authorization } });
  for (const wrong of ["", "Bearer ", `Bearer ${TOKEN}x`, TOKEN, `Basic ${TOKEN}`]) {
    const answer = await scrape(wrong);
    expect([await answer.text(), answer.headers.get("www-authenticate")]).toEqual(["token-refused", "Bearer"]);
  }
  expect(await (await ask(guarded)).text()).toBe("token-missing");
  for (const scheme of ["Bearer", "bearer", "BEARER "]) expect((await scrape(`${scheme} ${TOKEN}`)).status).toBe(200);
});
