import { runAtEnd } from "../test/support/at-end.ts";
import { ENGINES } from "../test/support/engines.ts";
import { startService, type TestService } from "../test/support/service.ts";
import { memoryMb } from "./bench-server.ts";
import { bulkRows } from "./bulk-rows.ts";
import { sendRows } from "./load.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";

/**
 * An import that updates, dry runs and a bulk removal against an import that creates the same plants, in random order of
 * ids, and a nightly sync of 5,000 products in four requests:
 * `bun bench/bulk-changes.ts [--plants 200000] [--engine postgres]`.
 */
const { plants: PLANTS, engine: only } = readOptions({ plants: 200_000, engine: "" });
const SYNCED = 5000;

const lines: string[] = [];
const bars: Bar[] = [];
for (const engine of ENGINES.filter((each) => !only || each === only)) {
  const service = await startService({ engine });
  await measureRates(engine, service);
  await measureSync(engine, service);
  await service.stop();
}
await report("bulk-changes", lines, bars);
// A server of PostgreSQL would keep the process.
await runAtEnd();
process.exit(0);

async function measureRates(engine: string, service: TestService): Promise<void> {
  const to = { url: service.url, token: await service.token() };
  const before = memoryMb(service.process.pid);
  const created = await sendRows(to, "import", bulkRows("csv", PLANTS));
  const rates: [string, string, string][] = [
    ["import of the same, unchanged", "import?existing=update", bulkRows("csv", PLANTS)],
    ["dry run of an update", "import?existing=update&dry_run=true", bulkRows("csv", PLANTS, "shade")],
    ["import that updates", "import?existing=update", bulkRows("csv", PLANTS, "shade")],
    ["bulk removal", "remove", bulkRows("ids", PLANTS)],
  ];
  lines.push(`${engine}: import that creates ${PLANTS} plants: ${rate(created.seconds)}`);
  for (const [name, path, body] of rates) {
    const { seconds, answer } = await sendRows(to, path, body);
    lines.push(`${engine}: ${name}: ${rate(seconds)}, ${answer}`);
    bars.push({ name: `${engine}: ${name} / import that creates`, value: created.seconds / seconds, atLeast: 0.5 });
  }
  const memory = memoryMb(service.process.pid) - before;
  bars.push({ name: `${engine}: memory after all of them, MB more than before`, value: memory, atMost: 200 });
}

/** All prices change, and a hundredth of the products is gone. */
async function measureSync(engine: string, service: TestService): Promise<void> {
  const to = { url: service.url, token: await service.token() };
  await sendRows(to, "import", bulkRows("csv", SYNCED));
  const start = performance.now();
  const headers = { Authorization: `Bearer ${to.token}` };
  await (await fetch(`${service.url}/v1/plants/export`, { headers })).text();
  await sendRows(to, "import?existing=update&dry_run=true", bulkRows("csv", SYNCED, "shade"));
  await sendRows(to, "import?existing=update", bulkRows("csv", SYNCED, "shade"));
  await sendRows(to, "remove", bulkRows("ids", SYNCED / 100));
  const seconds = (performance.now() - start) / 1000;
  bars.push({ name: `${engine}: sync of ${SYNCED} changed products in four requests, s`, value: seconds, atMost: 2 });
}

function rate(seconds: number): string {
  return `${Math.round(PLANTS / seconds)} a second`;
}
