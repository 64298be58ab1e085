import { Command, Option } from "commander";
import { printableLines } from "#core/printable.ts";
import { addFromFile } from "#server/environment-file.ts";
import { RELEASE, releaseInfo } from "#server/process/release.ts";
import { accountCommand } from "./commands/account.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { completionCommand } from "./commands/completion.ts";
import { drillCommand } from "./commands/drill.ts";
import { eventsCommand, listenCommand, triggerCommand } from "./commands/events.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { moveCommand } from "./commands/move.ts";
import { plantsCommand } from "./commands/plants.ts";
import { requestsCommand } from "./commands/requests.ts";
import { healthCommand, restartCommand, serveCommand } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { tokenCommand } from "./commands/token.ts";
import { webhooksCommand } from "./commands/webhooks.ts";
import { completions } from "./completion.ts";
import { reportFailure } from "./report.ts";
import { withoutSecrets } from "./secrets.ts";

const COMMANDS = [
  serveCommand,
  restartCommand,
  healthCommand,
  statusCommand,
  accountCommand,
  tokenCommand,
  auditCommand,
  requestsCommand,
  backupCommand,
  drillCommand,
  moveCommand,
  plantsCommand,
  eventsCommand,
  webhooksCommand,
  listenCommand,
  triggerCommand,
  mcpCommand,
  completionCommand,
];

/** Runs a command line to its end, and resolves with the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const program = createProgram(json);
  if (args[0] === "__complete") {
    process.stdout.write(completions(program, args.slice(1)).join("\n"));
    return 0;
  }
  try {
    await program.parseAsync(args[0] === "help" ? asksForHelp(program, args.slice(1)) : args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return reportFailure(error, json);
  }
}

/** The command line with every command, in the order in which a newcomer needs them. */
export function createProgram(json = false): Command {
  const program = new Command("plantstore")
    .description("Keeps a plant store's catalogue.")
    .version(json ? JSON.stringify(releaseInfo(), undefined, 2) : RELEASE)
    .showHelpAfterError("(--help says how it is used)")
    // Commander repeats what was typed. As JSON, its error is reported like any other.
    .configureOutput({ writeErr: (text) => json || process.stderr.write(printableLines(withoutSecrets(text))) })
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .addOption(
      new Option(
        "--env-file <file>",
        "a file of settings, as systemd reads it; variables of the environment win",
      ).argParser(addSettings),
    )
    .hook("preAction", async (_, action) => runAsOwnerOfDatabase(action));
  for (const make of COMMANDS) program.addCommand(inheriting(make(), program));
  return program;
}

/** While the command line is read, so that options whose defaults are variables find them. */
function addSettings(path: string): string {
  addFromFile(path);
  return path;
}

/** The commands that open the database itself. `serve` keeps the user that it was started by. */
const ON_DATABASE = new Set(["restart", "status", "account", "token", "audit", "backup", "drill", "move"]);

/** Ends the process after it has run again as the owner of the database, if it is root's and the database is not. */
async function runAsOwnerOfDatabase(action: Command): Promise<void> {
  let named = action;
  while (named.parent?.parent) named = named.parent;
  if (process.getuid?.() !== 0 || !ON_DATABASE.has(named.name())) return;
  const [{ otherOwner, runAsOwner }, { readSettings }] = await Promise.all([
    import("#server/process/owner.ts"),
    import("#server/settings.ts"),
  ]);
  const { DATABASE_URL, BACKUP_IDENTITY } = readSettings(process.env);
  const { from, to, envFile, identity = BACKUP_IDENTITY } = action.optsWithGlobals();
  const urls: string[] = named.name() === "move" ? [from, to] : [DATABASE_URL];
  for (const path of urls.flatMap((url) => (url.startsWith("sqlite:") ? url.slice("sqlite:".length) : []))) {
    const owner = otherOwner(path);
    if (owner)
      process.exit(
        runAsOwner(
          path,
          owner,
          [envFile, identity].filter((file) => file !== undefined),
        ),
      );
  }
}

/** `help plants add` as `plants add --help`. */
function asksForHelp(program: Command, words: readonly string[]): string[] {
  const names = words.filter((word) => !word.startsWith("-"));
  let group = program;
  for (const name of names) {
    const found = group.commands.find((command) => command.name() === name);
    group = found ?? group.error(`error: unknown command '${name}'`);
  }
  return [...names, "--help"];
}

/** Commander passes its settings on only to commands that it creates itself. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inheriting(child, command);
  return command;
}
