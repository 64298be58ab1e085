import { join } from "node:path";
import chromiumPackage from "@sparticuz/chromium";
import { DEFAULT_SCOPES } from "#core/token.ts";
import { startService, temporaryFolder } from "../test/support/service.ts";
import { signedInBrowser } from "../test/support/test-browser.ts";

/**
 * Lighthouse's figures (mobile) of the pages for people, each the median of five runs: `bun bench/lighthouse.ts [RUNS]`.
 * Lighthouse is fetched by npx for this alone. The load of the machine shows in the figures.
 */
const LIGHTHOUSE = "lighthouse@12.8.2";
const PAGES = ["/dashboard/sign-in", "/dashboard", "/dashboard/developer/tokens", "/dashboard/plants", "/docs"];
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;
const CHROME_FLAGS = "--headless=new --no-sandbox --disable-gpu";

interface Report {
  readonly categories: Readonly<Record<(typeof CATEGORIES)[number], { readonly score: number | null }>>;
  readonly audits: Readonly<Record<string, { readonly numericValue?: number }>>;
}

const runs = Number(process.argv[2] ?? 5);
const service = await startService();
const { browser } = await signedInBrowser(service);
await fill();
const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const folder = temporaryFolder();
console.log(["page", ...CATEGORIES, "layout shift", "kB"].join("\t"));
for (const path of PAGES) {
  const reports: Report[] = [];
  for (let run = 0; run < runs; run++) reports.push(await report(path, join(folder, `${run}.json`)));
  const scores = CATEGORIES.map((name) => median(reports.map(({ categories }) => 100 * (categories[name].score ?? 0))));
  const shift = median(reports.map(({ audits }) => audits["cumulative-layout-shift"]?.numericValue ?? 0));
  const bytes = median(reports.map(({ audits }) => audits["total-byte-weight"]?.numericValue ?? 0));
  console.log([path, ...scores.map(Math.round), shift.toFixed(3), Math.round(bytes / 1000)].join("\t"));
}
await service.stop();
process.exit(0);

/** Without a request of a token the Overview would be the quick start, and have no chart. */
async function fill(): Promise<void> {
  const made = await browser.post("/dashboard/api/tokens", {
    name: "Greenhouse",
    scopes: DEFAULT_SCOPES,
    expires_at: null,
  });
  const { secret } = await made.json();
  const lines = Array.from({ length: 500 }, (_, id) => JSON.stringify({ id, name: `Monstera ${id}`, tag: "indoor" }));
  const answer = await fetch(`${service.url}/v1/plants`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/x-ndjson" },
    body: lines.join("\n"),
  });
  if (!answer.ok) throw new Error(`Cannot add plants: ${answer.status}`);
}

async function report(path: string, file: string): Promise<Report> {
  const headers = path.endsWith("sign-in") ? {} : { Cookie: cookie };
  const options = [
    `--output-path=${file}`,
    "--output=json",
    "--quiet",
    `--only-categories=${CATEGORIES.join(",")}`,
    `--chrome-flags=${CHROME_FLAGS}`,
    `--extra-headers=${JSON.stringify(headers)}`,
  ];
  const child = Bun.spawn(["npx", "--yes", LIGHTHOUSE, service.url + path, ...options], {
    env: { ...process.env, CHROME_PATH: await chromiumPackage.executablePath() },
    stdout: "ignore",
    stderr: "pipe",
  });
  const problem = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Lighthouse did not measure ${path}: ${problem.slice(-500)}`);
  return Bun.file(file).json();
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
