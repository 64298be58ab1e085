import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, newAuthority } from "#test/support/certificates.ts";
import { EgressProxy } from "#test/support/egress-proxy.ts";
import type { SendRequest } from "#test/support/send-webhook.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import type { AttemptResult } from "./attempt.ts";

const NAME = "shop.example.test";
const LOOPBACK = ["127.0.0.0/8"];
const [FIRST, SECOND] = ["127.0.0.2", "127.0.0.3"];

interface Receiver {
  readonly port: number;
  /** The `Host` of each request that arrived. */
  readonly hosts: (string | null)[];
  stop(): Promise<void>;
}

/** Serves the certificate of the name that the client asks for, and to any other one of another name. */
function startReceiver(hostname: string, port: number, certificate: Certificate, other: Certificate): Receiver {
  const hosts: (string | null)[] = [];
  const server = Bun.serve({
    hostname,
    port,
    tls: [other, { ...certificate, serverName: NAME }],
    fetch(request) {
      hosts.push(request.headers.get("host"));
      return new Response(null, { status: 204 });
    },
  });
  return { port: Number(server.port), hosts, stop: () => server.stop(true) };
}

const authority = await newAuthority();
const [certificate, other] = [await authority.issue(NAME), await authority.issue("other.example.test")];
const first = startReceiver(FIRST, 0, certificate, other);
const second = startReceiver(SECOND, first.port, certificate, other);
const trusted = join(temporaryFolder(), "authority.pem");
writeFileSync(trusted, authority.cert);
afterAll(() => Promise.all([first.stop(), second.stop()]));

const host = `${NAME}:${first.port}`;
const right = `https://${host}/hook`;
const wrong = `https://wrong.example.test:${first.port}/hook`;
const DELIVERED = { succeeded: true, httpStatus: 204 };
const REFUSED = { succeeded: false, error: "tls" };

describe("an attempt over TLS", () => {
  async function send(
    request: Partial<SendRequest>,
    environment: Record<string, string> = {},
  ): Promise<AttemptResult[]> {
    first.hosts.length = second.hosts.length = 0;
    const given: SendRequest = { urls: [right], answers: [[FIRST]], networks: LOOPBACK, ...request };
    const command = [process.execPath, join(ROOT, "test/support/send-webhook.ts"), JSON.stringify(given)];
    const env = { PATH: process.env.PATH ?? "", NODE_EXTRA_CA_CERTS: trusted, ...environment };
    const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe" });
    return JSON.parse(await new Response(child.stdout).text());
  }

  test("connects to the address that was checked, though the name has another one a moment later", async () => {
    const results = await send({ urls: [right, right], answers: [[FIRST], [SECOND]] });
    expect(results).toMatchObject([DELIVERED, DELIVERED]);
    expect([first.hosts, second.hosts]).toEqual([[host], [host]]);
  });

  test("takes no certificate but that of the endpoint's name, and no connection of another name at its address", async () => {
    expect(await send({ urls: [right, wrong, right] })).toMatchObject([DELIVERED, REFUSED, DELIVERED]);
    expect(first.hosts).toEqual([host, host]);
  });

  test.each(["http", "https"])(
    "goes through the egress proxy that is set, over %s, which looks the name up, and still checks the certificate",
    async (scheme) => {
      const proxy = await EgressProxy.start(FIRST, scheme === "https" ? await authority.issue("127.0.0.1") : undefined);
      const results = await send({ urls: [right, right, wrong], answers: [[]], proxy: proxy.url });
      proxy.stop();
      expect(results).toMatchObject([DELIVERED, DELIVERED, REFUSED]);
      expect(proxy.asked).toEqual([right, wrong].map((url) => `CONNECT ${new URL(url).host} HTTP/1.1`));
      expect(first.hosts).toEqual([host, host]);
    },
  );

  test("trusts no authority that the system does not", async () => {
    const [result] = await send({}, { NODE_EXTRA_CA_CERTS: "" });
    expect(result).toMatchObject(REFUSED);
    expect(first.hosts).toEqual([]);
  });
});
