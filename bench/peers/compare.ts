/** Installs, runs and measures every system, and writes the page. `--help` lists the options. */
import { parseArgs } from "node:util";
import { compare, compareOperations } from "./harness/rounds.ts";
import { writePage } from "./page/page.ts";
import { peers } from "./peer/all.ts";

const help = `Usage: npm run compare -- [options]

  --quick            one round of two seconds a load; the page goes to .work, not to docs
  --rounds N         rounds, the order rotated (3)
  --seconds N        seconds of each load (5)
  --only A,B         only these, beside Plantstore: ${peers.map(({ name }) => name).join(", ")}
  --part PART        only "creates", or only "operations": reads, lists, searches, changes and removals
  --install-again    install every peer again, package caches empty, even if it is installed
  --page-only        make the page from the stored results
  --draft            write the page to .work, not to docs
`;

const flag = { type: "boolean", default: false } as const;
const text = { type: "string" } as const;
const flags = { quick: flag, "install-again": flag, "page-only": flag, draft: flag, help: flag };
const { values } = parseArgs({ options: { ...flags, rounds: text, seconds: text, only: text, part: text } });

if (values.help) {
  console.log(help);
  process.exit(0);
}

const only = values.only?.split(",");
const chosen = peers.filter(({ name, source }) => !only || only.includes(name) || source === "plantstore");
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const loadSeconds = Number(values.seconds ?? (values.quick ? 2 : 5));
const draft = values.quick || values.draft;
// Limits, so that a typing error does not load the machine for a day.
const bounded = rounds >= 1 && rounds <= 9 && loadSeconds >= 1 && loadSeconds <= 30;
const isKnown = (only ?? []).every((asked) => peers.some(({ name }) => name === asked));
if (!bounded || !isKnown || ![undefined, "creates", "operations"].includes(values.part)) {
  console.error(help);
  process.exit(2);
}

if (!values["page-only"]) {
  const [warmUpSeconds, crashSeconds] = values.quick ? [1, 1] : [2, 3];
  const effort = { rounds, loadSeconds, warmUpSeconds, crashSeconds, installAgain: values["install-again"] };
  if (values.part !== "operations") await compare(chosen, effort, draft);
  if (values.part !== "creates") await compareOperations(chosen, Math.min(loadSeconds, 3), draft);
}
console.log(`The page is ${await writePage(draft)}`);
process.exit(0);
