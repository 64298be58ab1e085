import { type Command, Option } from "commander";
import { addFromFile } from "#server/environment-file.ts";
import { API_COMMANDS } from "./api-commands.ts";
import { addCommands, newProgram, runWith } from "./command-line.ts";
import { accountCommand } from "./commands/account.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { drillCommand } from "./commands/drill.ts";
import { mailCommand } from "./commands/mail.ts";
import { moveCommand } from "./commands/move.ts";
import { requestsCommand } from "./commands/requests.ts";
import { healthCommand, restartCommand, serveCommand } from "./commands/serve.ts";
import { settingsCommand } from "./commands/settings.ts";
import { statusCommand } from "./commands/status.ts";
import { tokenCommand } from "./commands/token.ts";

const COMMANDS = [
  serveCommand,
  restartCommand,
  healthCommand,
  statusCommand,
  settingsCommand,
  accountCommand,
  tokenCommand,
  auditCommand,
  requestsCommand,
  backupCommand,
  mailCommand,
  drillCommand,
  moveCommand,
  ...API_COMMANDS,
];

/** Runs a command line to its end, and resolves with the exit code. */
export function runCommandLine(args: readonly string[]): Promise<number> {
  return runWith(createProgram, args);
}

/** The command line with every command, in the order in which a newcomer needs them. */
export function createProgram(json = false): Command {
  const program = newProgram("Keeps a plant store's catalogue.", json)
    .addOption(
      new Option(
        "--env-file <file>",
        "a file of settings, as systemd reads it; variables of the environment win, and --url is by default its server",
      ).argParser(addSettings),
    )
    .hook("preAction", async (_, action) => {
      await runAsOwnerOfDatabase(action);
      await reachServerOfFile(action);
    });
  return addCommands(program, COMMANDS);
}

/** Runs while the command line is parsed, so that options whose defaults are variables see the file's values. */
function addSettings(path: string): string {
  addFromFile(path);
  return path;
}

/** A client command without an address is for the server whose settings are in the file. */
async function reachServerOfFile(action: Command): Promise<void> {
  if (action.optsWithGlobals().envFile === undefined || action.getOptionValueSource("url") !== "default") return;
  const { localUrl } = await import("#server/process/health.ts");
  action.setOptionValue("url", localUrl(process.env));
}

/** The commands that open the database itself. `serve` keeps the user that it was started by. */
const ON_DATABASE = new Set(["restart", "status", "account", "token", "audit", "backup", "drill", "move"]);

/** Ends the process after it has run again as the owner of the database, if it is root's and the database is not. */
async function runAsOwnerOfDatabase(action: Command): Promise<void> {
  let named = action;
  while (named.parent?.parent) named = named.parent;
  if (process.getuid?.() !== 0 || !ON_DATABASE.has(named.name())) return;
  const [{ makeFolderFor, otherOwner, runAsOwner }, { readSettings }] = await Promise.all([
    import("#server/process/owner.ts"),
    import("#server/settings.ts"),
  ]);
  const { DATABASE_URL, BACKUP_IDENTITY } = readSettings(process.env);
  const { from, to, envFile, identity = BACKUP_IDENTITY } = action.optsWithGlobals();
  const isExport = named.name() === "account" && action.name() === "export";
  const urls: string[] = named.name() === "move" ? [from, to] : [DATABASE_URL];
  for (const path of urls.flatMap((url) => (url.startsWith("sqlite:") ? url.slice("sqlite:".length) : []))) {
    const owner = otherOwner(path);
    if (!owner) continue;
    if (isExport) makeFolderFor(owner, to);
    const read = [envFile, identity, isExport ? to : undefined].filter((file) => file !== undefined);
    process.exit(runAsOwner(path, owner, { read, written: action.name() === "extract" ? to : undefined }));
  }
}
