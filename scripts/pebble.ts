import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newAuthority } from "../test/support/certificates.ts";
import { eventually } from "../test/support/eventually.ts";
import { freePort } from "../test/support/free-port.ts";
import { startNameServer } from "../test/support/name-server.ts";
import { startService } from "../test/support/service.ts";

/**
 * Renews certificates of Pebble, Let's Encrypt's test authority, under load: `bun scripts/pebble.ts PROGRAM [RENEWALS]
 * [CONNECTIONS]`. `npm run foreign` builds PROGRAM. Certificates live for 12 s, and a fifth of the nonces is refused.
 */
const [program = "pebble", renewals = "30", connections = "64"] = process.argv.slice(2);
const NAME = "plants.example.test";
const folder = mkdtempSync(join(tmpdir(), "plantstore-pebble-"));
const [acme, port, http] = [freePort(), freePort(), freePort()];
const authority = await newAuthority();
const own = await authority.issue("127.0.0.1");
for (const [name, text] of Object.entries({ "ca.pem": authority.cert, "cert.pem": own.cert, "key.pem": own.key })) {
  await Bun.write(join(folder, name), text);
}
const pebble = {
  listenAddress: `127.0.0.1:${acme}`,
  managementListenAddress: "",
  certificate: join(folder, "cert.pem"),
  privateKey: join(folder, "key.pem"),
  httpPort: http,
  tlsPort: freePort(),
  retryAfter: { authz: 1, order: 1 },
  keyAlgorithm: "ecdsa",
  profiles: { default: { description: "short", validityPeriod: 12 } },
};
await Bun.write(join(folder, "pebble.json"), JSON.stringify({ pebble }));
const names = await startNameServer(() => "127.0.0.1");
/** Pebble asks over TCP: each message comes after its length (RFC 1035, 4.2.2). */
const asked = Bun.listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    async data(socket, message) {
      const [host, port] = names.address.split(":");
      const udp = await Bun.udpSocket({
        connect: { hostname: host ?? "", port: Number(port) },
        socket: {
          data(_, answer) {
            const length = Buffer.alloc(2);
            length.writeUInt16BE(answer.length);
            socket.write(Buffer.concat([length, answer]));
            udp.close();
          },
        },
      });
      udp.send(message.subarray(2));
    },
  },
});
const resolver = `127.0.0.1:${asked.port}`;
const running = Bun.spawn([program, "-config", join(folder, "pebble.json"), "-dnsserver", resolver], {
  env: { ...process.env, PEBBLE_WFE_NONCEREJECT: "20", PEBBLE_VA_NOSLEEP: "1" },
  stdout: Bun.file(join(folder, "pebble.log")),
  stderr: "inherit",
});
const service = await startService({
  engine: "sqlite",
  folder,
  settings: {
    DOMAIN: NAME,
    ACME_DIRECTORY: `https://127.0.0.1:${acme}/dir`,
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
    HOST: "127.0.0.1",
    PORT: String(port),
    HTTP_PORT: String(http),
  },
});

const served = () => service.log().filter(({ msg }) => msg === "serves with this certificate").length;
const answers = new Map<unknown, number>();
let isOver = false;
try {
  await eventually("there is a certificate", () => served() > 0);
  const ask = async (keepalive: boolean) => {
    const init = { headers: { Host: NAME }, keepalive, tls: { rejectUnauthorized: false } };
    while (!isOver) {
      const answer = await fetch(`https://127.0.0.1:${port}/healthz`, init).then(
        (each) => each.text().then(() => each.status),
        (error) => error.code,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  };
  const asking = Array.from({ length: Number(connections) }, (_, index) => ask(index % 2 === 0));
  await eventually("it is renewed so often", () => served() > Number(renewals), 30_000 * Number(renewals));
  isOver = true;
  await Promise.all(asking);
} finally {
  const failed = service.log().filter(({ msg }) => msg.startsWith("No new certificate"));
  const requests = await Bun.file(join(folder, "pebble.log")).text();
  console.log({
    renewals: served() - 1,
    answers: Object.fromEntries(answers),
    failed: failed.map(({ msg }) => msg),
    askedWhenToRenew: requests.match(/GET \S*\/renewalInfo\//g)?.length ?? 0,
    toldNothing: service.log().filter(({ msg }) => msg.startsWith("Renews the certificate by its life")).length,
  });
  if (served() === 0) console.log(service.output());
  await service.stop();
  running.kill();
  asked.stop(true);
  names.stop();
  rmSync(folder, { recursive: true, force: true });
}
