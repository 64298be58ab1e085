import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "../test/support/certificates.ts";
import { freePort } from "../test/support/free-port.ts";
import { BenchDatabase, startFile } from "./bench-server.ts";
import { inTurn, ratioOf, timed } from "./in-turn.ts";
import { Creates, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates over HTTPS against plain HTTP on connections that are kept, and the same of a bare echo on the same runtime, in one
 * run: `bun bench/https.ts [--rounds 5] [--seconds 3]`. The four are measured in turn. The results are medians of the ratios
 * of a round: if those of the echo are the same, the rest is the runtime's TLS, and the load generator's.
 */
const { rounds: ROUNDS, seconds: SECONDS } = readOptions({ rounds: 5, seconds: 3 });

requireWrk();
const [own, secure] = [new BenchDatabase(), new BenchDatabase()];
const { cert, key } = await (await newAuthority()).issue("127.0.0.1");
const files = { TLS_CERT_FILE: join(secure.folder, "cert.pem"), TLS_KEY_FILE: join(secure.folder, "key.pem") };
writeFileSync(files.TLS_CERT_FILE, cert);
writeFileSync(files.TLS_KEY_FILE, key);
Object.assign(secure.environment, files, { HOST: "127.0.0.1", PORT: String(freePort()), HTTP_PORT: "0" });
const tokens = { "plain creates": await own.token(), "creates over TLS": await secure.token() };
const servers = {
  "plain echo": await startFile("echo-server.ts", 0),
  "echo over TLS": await startFile("echo-server.ts", 0, files),
  "plain creates": await own.serve(),
  "creates over TLS": await secure.serve(),
};
type Name = keyof typeof servers;
const NAMES = Object.keys(servers) as Name[];
const tokenOf = (name: Name) => (name in tokens ? tokens[name as keyof typeof tokens] : "");
const loads = new Map(NAMES.map((name) => [name, new Creates({ url: servers[name].url, token: tokenOf(name) })]));

const lines: string[] = [];
const bars: Bar[] = [];
for (const connections of [64, 256]) {
  const load = (name: Name) => timed(servers[name], () => (loads.get(name) as Creates).run(connections, SECONDS));
  const rounds = await inTurn(servers, ROUNDS, load);
  for (const name of NAMES) {
    const { perSecond, processorUs } = median(rounds, (round) => round[name].perSecond)[name];
    lines.push(
      `${name}, ${connections} connections: ${perSecond.toFixed(0)}/s, ${processorUs.toFixed(1)} µs of processor time`,
    );
  }
  for (const name of ["echo", "creates"] as const) {
    for (const [figure, of] of [
      ["a second", "perSecond"],
      ["processor time", "processorUs"],
    ] as const) {
      const about = `${name}, ${connections} connections, ${figure}, TLS / plain`;
      const { value, range } = ratioOf(rounds, (round) => round[`${name} over TLS`][of] / round[`plain ${name}`][of]);
      lines.push(`${about} in ${ROUNDS} rounds: ${range}`);
      bars.push({ name: about, value, ...(name === "creates" && of === "perSecond" && { atLeast: 0.85 }) });
    }
  }
}
for (const server of Object.values(servers)) await server.stop();
for (const database of [own, secure]) database.remove();
await report("https", lines, bars);
