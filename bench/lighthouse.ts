import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import chromiumPackage from "@sparticuz/chromium";
import { DEFAULT_SCOPES } from "#core/token.ts";
import { startService, temporaryFolder } from "../test/support/service.ts";
import { signedInBrowser } from "../test/support/test-browser.ts";
import { importPlants } from "./load.ts";
import { median } from "./median.ts";

/**
 * Lighthouse's figures (mobile) of the pages for people, each the median of five runs:
 * `bun bench/lighthouse.ts [--reports=FOLDER] [RUNS [PAGE...]]`. Lighthouse is fetched by npx for this alone. The load of
 * the machine shows in the figures. `--reports` keeps Lighthouse's own reports, which name the causes.
 */
const LIGHTHOUSE = "lighthouse@12.8.2";
const DEVELOPER = "/dashboard/developer";
const PAGES = [
  ...["/dashboard/sign-in", "/dashboard", "/dashboard/plants", "/docs", "/docs/guides/webhooks"],
  ...["tokens", "requests", "webhooks", "events"].map((page) => `${DEVELOPER}/${page}`),
];
const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;
/** Milliseconds, from Lighthouse's audits of the same names. */
const TIMES = {
  FCP: "first-contentful-paint",
  LCP: "largest-contentful-paint",
  TBT: "total-blocking-time",
  SI: "speed-index",
};
const CHROME_FLAGS = "--headless=new --no-sandbox --disable-gpu";

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number | null }>>;
  readonly audits: Readonly<Record<string, { readonly numericValue?: number }>>;
}

const { values, positionals } = parseArgs({ options: { reports: { type: "string" } }, allowPositionals: true });
const [runs = "5", ...chosen] = positionals;
const service = await startService();
const { browser } = await signedInBrowser(service);
await fill();
const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
const folder = values.reports ?? temporaryFolder();
mkdirSync(folder, { recursive: true });
console.log(["page", ...CATEGORIES, ...Object.keys(TIMES), "layout shift", "kB"].join("\t"));
for (const path of chosen.length > 0 ? chosen : PAGES) {
  const reports: Report[] = [];
  for (let run = 0; run < Number(runs); run++) {
    reports.push(await report(path, join(folder, `${path.slice(1).replaceAll("/", "-")}-${run}.json`)));
  }
  const middle = (by: (each: Report) => number) => by(median(reports, by));
  const audited = (name: string) => middle(({ audits }) => audits[name]?.numericValue ?? Number.NaN);
  const scores = CATEGORIES.map((name) => middle(({ categories }) => 100 * (categories[name]?.score ?? 0)));
  const times = Object.values(TIMES).map((name) => Math.round(audited(name)));
  const shift = audited("cumulative-layout-shift").toFixed(3);
  const kilobytes = Math.round(audited("total-byte-weight") / 1000);
  console.log([path, ...scores.map(Math.round), ...times, shift, kilobytes].join("\t"));
}
await service.stop();
process.exit(0);

/** Without a request of a token the Overview would be the quick start, and have no chart. */
async function fill(): Promise<void> {
  const token = { name: "Greenhouse", scopes: DEFAULT_SCOPES, expires_at: null };
  const { secret } = await (await browser.post("/dashboard/api/tokens", token)).json();
  await importPlants({ url: service.url, token: secret }, 1, 500);
}

async function report(path: string, file: string): Promise<Report> {
  const headers = path.endsWith("sign-in") ? {} : { Cookie: cookie };
  const settings = [
    `--output-path=${file}`,
    "--output=json",
    "--quiet",
    `--only-categories=${CATEGORIES.join(",")}`,
    `--chrome-flags=${CHROME_FLAGS}`,
    `--extra-headers=${JSON.stringify(headers)}`,
  ];
  const child = Bun.spawn(["npx", "--yes", LIGHTHOUSE, service.url + path, ...settings], {
    env: { ...process.env, CHROME_PATH: await chromiumPackage.executablePath() },
    stdout: "ignore",
    stderr: "pipe",
  });
  const problem = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Lighthouse did not measure ${path}: ${problem.slice(-500)}`);
  return Bun.file(file).json();
}
