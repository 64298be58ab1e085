import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "../test/support/certificates.ts";
import { freePort } from "../test/support/free-port.ts";
import { BenchDatabase, type BenchServer, startFile, whilePaused } from "./bench-server.ts";
import { Creates, requireWrk } from "./load.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { processorSeconds } from "./processor-time.ts";
import { type Bar, report } from "./report.ts";

/**
 * Creates over HTTPS against plain HTTP on connections that are kept, and the same of a bare echo on the same runtime, in one
 * run: `bun bench/https.ts [--rounds 5] [--seconds 3]`. The four are measured in turn. The results are medians of the ratios
 * of a round: if those of the echo are the same, the rest is the runtime's TLS, and the load generator's.
 */
const { rounds: ROUNDS, seconds: SECONDS } = readOptions({ rounds: 5, seconds: 3 });
const NAMES = ["plain echo", "echo over TLS", "plain creates", "creates over TLS"] as const;

requireWrk();
const [own, secure] = [new BenchDatabase(), new BenchDatabase()];
const { cert, key } = await (await newAuthority()).issue("127.0.0.1");
const files = { TLS_CERT_FILE: join(secure.folder, "cert.pem"), TLS_KEY_FILE: join(secure.folder, "key.pem") };
writeFileSync(files.TLS_CERT_FILE, cert);
writeFileSync(files.TLS_KEY_FILE, key);
Object.assign(secure.environment, files, { HOST: "127.0.0.1", PORT: String(freePort()), HTTP_PORT: "0" });
const tokens = [await own.token(), await secure.token()] as const;
const servers = [
  await startFile("echo-server.ts", 0),
  await startFile("echo-server.ts", 0, files),
  await own.serve(),
  await secure.serve(),
];
const loads = servers.map(({ url }, at) => new Creates({ url, token: tokens[at === 3 ? 1 : 0] }));

interface Measured {
  readonly perSecond: number;
  /** The server's processor time of an answer, in microseconds. */
  readonly processorUs: number;
}

async function measure(at: number, connections: number): Promise<Measured> {
  const server = servers[at] as BenchServer;
  const begun = processorSeconds(server.pid);
  const { perSecond, requests } = await (loads[at] as Creates).run(connections, SECONDS);
  return { perSecond, processorUs: (1e6 * (processorSeconds(server.pid) - begun)) / requests };
}

/** With the others paused. */
async function measureAlone(at: number, connections: number): Promise<Measured> {
  const others = servers.filter((_, other) => other !== at);
  const [first, second, third] = others as [BenchServer, BenchServer, BenchServer];
  return whilePaused(first, () => whilePaused(second, () => whilePaused(third, () => measure(at, connections))));
}

const lines: string[] = [];
const bars: Bar[] = [];
for (const connections of [64, 256]) {
  const rounds: Measured[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const measured: Measured[] = [];
    for (const at of NAMES.keys()) measured.push(await measureAlone(at, connections));
    if (round > 0) rounds.push(measured);
  }
  for (const [at, name] of NAMES.entries()) {
    const { perSecond, processorUs } = median(
      rounds.map((each) => each[at] as Measured),
      (each) => each.perSecond,
    );
    lines.push(
      `${name}, ${connections} connections: ${perSecond.toFixed(0)}/s, ${processorUs.toFixed(1)} µs of processor time`,
    );
  }
  for (const [name, plain] of [
    ["echo", 0],
    ["creates", 2],
  ] as const) {
    for (const figure of ["perSecond", "processorUs"] as const) {
      const ratios = rounds
        .map((each) => (each[plain + 1]?.[figure] ?? 0) / (each[plain]?.[figure] ?? 0))
        .sort((a, b) => a - b);
      const what = figure === "perSecond" ? "a second" : "processor time";
      lines.push(
        `${name}, ${connections} connections, ${what}, TLS / plain in ${ROUNDS} rounds: ${ratios.map((each) => each.toFixed(2)).join(", ")}`,
      );
      const atLeast = name === "creates" && figure === "perSecond" ? 0.85 : undefined;
      bars.push({
        name: `${name}, ${connections} connections, ${what}, TLS / plain`,
        value: median(ratios, (each) => each),
        ...(atLeast && { atLeast }),
      });
    }
  }
}
for (const server of servers) await server.stop();
for (const database of [own, secure]) database.remove();
await report("https", lines, bars);
