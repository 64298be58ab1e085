/**
 * The rooms of the code: one folder below `src/` each, with the rooms that it may import and the reason for it. The table
 * in `ARCHITECTURE.md` is made from this (`npm run tables`), and `imports.ts` reads it.
 */
interface Room {
  readonly name: string;
  /** The content of the room, for the table in ARCHITECTURE.md. */
  readonly holds: string;
  readonly mayImport: readonly string[];
  /** The rooms of which it may import types alone. */
  readonly mayImportTypes?: readonly string[];
  /** The message when another room is imported. */
  readonly reason: string;
}

const WIRED: readonly Room[] = [
  {
    name: "core",
    holds: "plants, tokens, events, jobs, failures, the `Records` interface, the metrics; pure",
    mayImport: [],
    reason: "The core is pure: it imports no other room.",
  },
  {
    name: "contract",
    holds: "the wire: shapes of requests and answers, errors, exact JSON, the OpenAPI document",
    mayImport: ["core"],
    reason: "The contract is the wire: it may import core alone.",
  },
  {
    name: "files",
    holds: "files that replace others, written whole and synced",
    mayImport: [],
    reason: "Files are bytes here: whoever writes them knows what they hold, and this room imports no other.",
  },
  {
    name: "threads",
    holds: "calls between threads, and marks that tell whether a process has ended",
    mayImport: ["core"],
    reason: "Threads carry any calls: they may import core alone.",
  },
  {
    name: "load",
    holds: "what one caller may take from the others: queues, lanes, slots, throttles, the form of a limit",
    mayImport: ["core", "threads"],
    reason: "Load bounds any work: it may import core and threads.",
  },
  {
    name: "jobs",
    holds: "the runner of scheduled jobs",
    mayImport: ["core"],
    reason: "The job runner knows jobs by their interface in core alone.",
  },
  {
    name: "observability",
    holds: "the log, metrics, traces and the request log",
    mayImport: ["core", "load"],
    reason: "Observability is handed numbers and records; it may import core and load.",
  },
  {
    name: "storage",
    holds: "`Records` over SQLite and PostgreSQL: all SQL, migrations",
    mayImport: ["core", "threads", "load"],
    reason: "Storage keeps what the core defines and knows nothing of HTTP.",
  },
  {
    name: "accounts",
    holds: "sign-in, sessions, passwords, second factors, passkeys",
    mayImport: ["core", "load", "storage"],
    reason: "Accounts may import core, load and storage.",
  },
  {
    name: "webhooks",
    holds: "delivery to webhook endpoints",
    mayImport: ["core", "threads", "load", "contract", "storage"],
    reason: "Webhooks may import core, threads, load, contract and storage.",
  },
  {
    name: "mail",
    holds: "messages by mail: texts, queue, SMTP",
    mayImport: ["core"],
    reason: "Mail may import core alone.",
  },
  {
    name: "backup",
    holds: "making, checking, restoring, keeping backups",
    mayImport: ["core", "threads", "load", "storage", "files"],
    reason: "Backups may import core, threads, load, storage and files.",
  },
  {
    name: "certificates",
    holds: "certificates of HTTPS, from files or an authority (ACME)",
    mayImport: ["core", "files"],
    reason: "Certificates may import core and files.",
  },
  {
    name: "http",
    holds:
      "`app.ts` (table of contents), tokens, bodies, refusals, `routes/` (the API), `dashboard/` (private routes), `feed/` (who waits for changes), `reading/` (what reading threads run)",
    mayImport: ["core", "threads", "load", "contract"],
    mayImportTypes: ["accounts", "webhooks"],
    reason: "HTTP speaks core and contract, and knows other services by their types: the server wires them in.",
  },
  {
    name: "mcp",
    holds: "tools for agents over the client",
    mayImport: ["client", "contract"],
    reason: "The MCP server is a client of the API: it may import client and contract.",
  },
  {
    name: "dashboard",
    holds: "the pages; they reach the service only over HTTP",
    mayImport: ["client", "contract"],
    reason: "The dashboard reaches the service only over HTTP: it may import client and contract.",
  },
  {
    name: "client",
    holds: "the TypeScript client",
    mayImport: ["contract"],
    reason: "The client is published on its own: it may import the contract alone.",
  },
];

export const ROOMS: readonly Room[] = [
  ...WIRED,
  {
    name: "server",
    holds: "settings, start and stop: the only room that wires the others",
    mayImport: WIRED.map(({ name }) => name).filter((name) => name !== "client"),
    reason: "The server wires the rooms; it imports neither a command nor the client.",
  },
  {
    name: "cli",
    holds: "the commands: the operator's over server, the API's over client",
    mayImport: ["core", "files", "load", "contract", "server", "client", "mcp"],
    reason: "Commands import server (operator's commands) or client (API commands), and the pure rooms.",
  },
];

/** The rows of the table in ARCHITECTURE.md. */
export function roomsTable(): string {
  const rows = ROOMS.map(({ name, holds, mayImport, mayImportTypes = [] }) => {
    const imports =
      mayImport.length === 0 ? "nothing" : mayImport.length > 8 ? "all but client, cli" : mayImport.join(", ");
    const types = mayImportTypes.length > 0 ? `; types of ${mayImportTypes.join(", ")}` : "";
    return `|\`src/${name}/\`|${holds}|${imports}${types}|`;
  });
  return ["|room|what it holds|may import|", "|---|---|---|", ...rows].join("\n");
}
