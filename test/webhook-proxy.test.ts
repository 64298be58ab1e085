import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "./support/certificates.ts";
import { EgressProxy } from "./support/egress-proxy.ts";
import { eventually } from "./support/eventually.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const SCOPES = ["plants:read", "plants:write", "webhooks:manage"] as const;
const receiver = new WebhookReceiver();
let service: TestService | undefined;
const proxy = await EgressProxy.start("127.0.0.1");
afterAll(async () => {
  await service?.stop();
  proxy.stop();
  await receiver.stop();
});

/** Has one event delivered to each receiver by a service with those settings. */
async function deliver(
  receivers: readonly Pick<WebhookReceiver, "url" | "received">[],
  settings: object,
): Promise<void> {
  receiver.received.length = proxy.asked.length = 0;
  service = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.0/8", ...settings } });
  const { send } = service;
  const as = await service.token({ scopes: SCOPES });
  const post = (path: string, body: object) => send("POST", `/v1${path}`, { as, body });
  for (const { url } of receivers) expect((await post("/webhooks", { url })).status).toBe(200);
  await post("/plants", { id: 1, name: "Fern" });
  await eventually("the event arrived", () => receivers.every(({ received }) => received.length === 1));
  await service.stop();
}

test("webhooks go through WEBHOOK_PROXY, by the name of the endpoint, which the proxy alone looks up", async () => {
  const url = receiver.url.replace("127.0.0.1", "shop.example.test");
  await deliver([{ url, received: receiver.received }], { WEBHOOK_PROXY: proxy.url, HTTP_PROXY: "http://127.0.0.1:1" });
  expect(proxy.asked).toEqual([`POST ${url} HTTP/1.1`]);
  expect(receiver.received[0]?.headers.host).toBe(new URL(url).host);
});

test("webhooks go through no proxy that is set for other programs, with http or https", async () => {
  const authority = await newAuthority();
  const trusted = join(temporaryFolder(), "authority.pem");
  writeFileSync(trusted, authority.cert);
  const secure = new WebhookReceiver(await authority.issue("127.0.0.1"));
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"];
  const proxies = Object.fromEntries(names.map((name) => [name, proxy.url]));
  await deliver([receiver, secure], { ...proxies, NODE_EXTRA_CA_CERTS: trusted });
  expect(proxy.asked).toEqual([]);
  await secure.stop();
});
