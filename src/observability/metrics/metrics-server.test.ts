import { afterAll, expect, test } from "bun:test";
import type { Failure } from "#core/failure.ts";
import { exchange } from "#test/support/raw-connection.ts";
import { rawRequest } from "#test/support/raw-request.ts";
import { serveMetrics } from "./metrics-server.ts";
import { processSeries } from "./process-metrics.ts";

const series = () => processSeries({ version: "1.0.0", runtime: "Bun" });
const refusal = ({ code, detail }: Failure) => new Response(code, { status: 400, ...detail });
const options = { hostname: "127.0.0.1", port: 0, sharesPort: false, series, refusal };
const open = serveMetrics({ ...options, token: undefined });
afterAll(() => open.stop(true));

test("a scrape by HTTP/1.0 without Host is answered, and one whose Host makes no address is refused", async () => {
  const scrape = async (version: string, hosts: string[]) => {
    const sent = rawRequest({ method: "GET", target: "/metrics", version, hosts });
    return (await exchange(`${open.url}`, sent))[0]?.status;
  };
  expect(await scrape("HTTP/1.0", [])).toBe(200);
  expect(await scrape("HTTP/1.1", ["Host: ["])).toBe(400);
});
