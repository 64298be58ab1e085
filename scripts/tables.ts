import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { ERRORS } from "#contract/errors.ts";
import { VERSION_POLICY } from "#contract/version-policy.ts";
import { METRICS } from "#core/metrics.ts";
import { RIGHTS, ROLES } from "#core/role.ts";
import { RESOURCES } from "#load/limit-row.ts";
import { LIMIT_ROWS, limitCells } from "#server/limit-table.ts";
import { SETTINGS } from "#server/settings.ts";
import { CONNECTIONS } from "#storage/postgres/pools.ts";
import { commandList } from "./clients/generators.ts";
import { SYNC_CLIENT, syncClient } from "./python-sync.ts";
import { roomsTable } from "./rooms.ts";

/** The parts that `npm run tables` makes from the code, tables in the documents above all. The gate compares. */
const ROOT = join(import.meta.dir, "..");

const TABLES: Readonly<Record<string, () => string>> = {
  rooms: roomsTable,
  settings: () =>
    Object.entries(SETTINGS)
      .map(([name, { fallback, meaning }]) => `- \`${name}\`${fallback ? ` (\`${fallback}\`)` : ""}: ${meaning}`)
      .join("\n"),
  metrics: () =>
    Object.entries(METRICS)
      .filter(([name]) => !name.startsWith("process_"))
      .map(([name, { labels, help }]) => `- \`${name}\`${labels.length > 0 ? ` (${labels.join(", ")})` : ""}: ${help}`)
      .join("\n"),
  errors: () =>
    Object.values(ERRORS)
      .map(({ error, when }) => `- \`${error}\` ${when}`)
      .join("\n"),
  dashboardErrors: () =>
    Object.values(DASHBOARD_ERRORS)
      .map(({ error, when }) => `- \`${error}\` ${when}`)
      .join("\n"),
  versionPolicy: () => VERSION_POLICY.map((promise) => `- ${promise}`).join("\n"),
  limits: () => RESOURCES.map(limitsOf).join("\n\n"),
  connections: () => {
    const kinds = Object.values(CONNECTIONS);
    const all = { name: "all", all: kinds.reduce((sum, kind) => sum + kind.all, 0) };
    return [...kinds, all].map((kind) => `- ${kind.name}: ${kind.all}`).join("\n");
  },
  clients: commandList,
  roles: () =>
    ROLES.map((role) => {
      const rights = Object.values(RIGHTS).filter(([least]) => least === role);
      return `- **${role}**:\n${rights.map(([, sentence]) => `  - ${sentence}`).join("\n")}`;
    }).join("\n"),
};

const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "docs/clients.md",
  "docs/connections.md",
  "docs/errors.md",
  "docs/load.md",
  "docs/metrics.md",
  "docs/people.md",
  "docs/settings.md",
  "docs/versions.md",
];

/** The document with each table between its markers made anew. */
function withTables(text: string): string {
  return text.replace(/(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end -->)/g, (whole, start, name, end) => {
    const make = TABLES[name];
    return make ? `${start}${make()}\n${end}` : whole;
  });
}

/** A resource as a heading, with the list of its limits. */
function limitsOf(resource: string): string {
  const rows = LIMIT_ROWS.filter((row) => row.resource === resource).map(limitCells);
  const heading = `### ${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;
  return [heading, "", ...rows.map(limitLine)].join("\n");
}

/** What is usual beyond a limit is said once, above the lists. */
function limitLine([, name, usedBy, each, all, beyond]: readonly string[]): string {
  const bounds = [each && `${each} (${usedBy})`, all].filter(Boolean).join("; ");
  const usual = [each && "429", all && "503"].filter(Boolean).join("; ");
  return `- **${name}**: ${bounds}${beyond === usual ? "" : ` → ${beyond}`}`.replace("everybody together", "all");
}

/** The names of errors by their numbers, for the Python client. */
function pythonErrorCodes(): string {
  const lines = Object.entries(ERROR_NUMBERS).map(([code, error]) => `    ${error}: "${code}",\n`);
  return `# Made of src/contract/error-numbers.ts (npm run tables).\nERROR_CODES = {\n${lines.join("")}}\n`;
}

export function readDocument(name: string): string {
  return readFileSync(join(ROOT, name), "utf8");
}

/** Each file that is made, or has a table that is made, with what it should be. */
export const GENERATED: readonly { readonly name: string; readonly make: () => string }[] = [
  ...DOCUMENTS.map((name) => ({ name, make: () => withTables(readDocument(name)) })),
  { name: SYNC_CLIENT, make: () => syncClient(readDocument) },
  { name: "clients/python/src/plantstore/_error_codes.py", make: pythonErrorCodes },
];

if (import.meta.main) {
  for (const { name, make } of GENERATED) writeFileSync(join(ROOT, name), make());
}
