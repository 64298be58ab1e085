import { AllowedNetworks } from "#webhooks/address.ts";
import { Sender } from "#webhooks/attempt.ts";

/**
 * A request sent by a separate process, since NODE_EXTRA_CA_CERTS and the proxies of the environment are read at its
 * start.
 */
export interface SendRequest {
  readonly urls: readonly string[];
  /**
   * The addresses of the name at the first look-up, the second, and so on; the last ones are used for all further
   * look-ups.
   */
  readonly answers: readonly (readonly string[])[];
  readonly networks: readonly string[];
  readonly proxy?: string;
}

const { urls, answers, networks, proxy }: SendRequest = JSON.parse(process.argv[2] ?? "");
const left = [...answers];
const sender = new Sender({
  networks: new AllowedNetworks(networks),
  lookup: async () => (left.length > 1 ? left.shift() : left[0]) ?? [],
  proxy,
});
const results = [];
for (const url of urls) results.push(await sender.attempt({ url, body: "{}", headers: { "webhook-id": "evt_1" } }));
console.log(JSON.stringify(results));
process.exit(0);
