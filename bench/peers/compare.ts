/** Installs, runs and measures every system, and writes the page. `--help` lists the options. */
import { parseArgs } from "node:util";
import { measureBeyond } from "./harness/beyond.ts";
import { type PartName, partNames } from "./harness/results.ts";
import { compare } from "./harness/rounds.ts";
import { writePage } from "./page/page.ts";
import { peers } from "./peer/all.ts";

const help = `Usage: npm run compare -- [options]

  --quick            only creates, one round of two seconds a load; the page goes to .work, not to docs
  --rounds N         rounds, the order rotated (3)
  --seconds N        seconds of each load (5)
  --part PART        only creates, or only beyond: searches in a million plants and backups under load
  --only A,B         only these: ${peers.map(({ name }) => name).join(", ")}
  --install-again    install every peer again, package caches empty, even if it is installed
  --page-only        make the page from the stored results
  --draft            write the page to .work, not to docs
`;

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    rounds: { type: "string" },
    seconds: { type: "string" },
    part: { type: "string" },
    only: { type: "string" },
    "install-again": { type: "boolean", default: false },
    "page-only": { type: "boolean", default: false },
    draft: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(help);
  process.exit(0);
}

const only = values.only?.split(",");
const chosen = peers.filter(({ name }) => !only || only.includes(name));
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const loadSeconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const part = values.part ?? (values.quick ? "creates" : undefined);
const parts = partNames.filter((name) => !values["page-only"] && (!part || part === name));
const draft = values.quick || values.draft;
// Limits, so that a typing error does not load the machine for a day.
const bounded = rounds >= 1 && rounds <= 9 && loadSeconds >= 1 && loadSeconds <= 30;
if (!bounded || chosen.length === 0 || (parts.length === 0 && !values["page-only"])) {
  console.error(help);
  process.exit(2);
}

const measure: Record<PartName, () => Promise<unknown>> = {
  creates: () =>
    compare(
      chosen,
      {
        rounds,
        loadSeconds,
        warmUpSeconds: values.quick ? 1 : 2,
        crashSeconds: values.quick ? 1 : 3,
        installAgain: values["install-again"],
      },
      draft,
    ),
  beyond: () => measureBeyond(chosen, draft),
};
for (const part of parts) await measure[part]();
console.log(`The page is ${await writePage(draft)}`);
process.exit(0);
