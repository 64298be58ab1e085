import { Command } from "commander";
import { printableLines } from "#core/printable.ts";
import { RELEASE, releaseInfo } from "#server/release.ts";
import { accountCommand } from "./commands/account.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { completionCommand } from "./commands/completion.ts";
import { eventsCommand } from "./commands/events.ts";
import { healthCommand } from "./commands/health.ts";
import { listenCommand } from "./commands/listen.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { moveCommand } from "./commands/move.ts";
import { plantsCommand } from "./commands/plants.ts";
import { requestsCommand } from "./commands/requests.ts";
import { restartCommand } from "./commands/restart.ts";
import { serveCommand } from "./commands/serve.ts";
import { tokenCommand } from "./commands/token.ts";
import { triggerCommand } from "./commands/trigger.ts";
import { webhooksCommand } from "./commands/webhooks.ts";

const COMMANDS = [
  serveCommand,
  restartCommand,
  healthCommand,
  accountCommand,
  tokenCommand,
  auditCommand,
  requestsCommand,
  backupCommand,
  moveCommand,
  plantsCommand,
  eventsCommand,
  webhooksCommand,
  listenCommand,
  triggerCommand,
  mcpCommand,
  completionCommand,
];

/** The command line with every command, in the order in which a newcomer needs them. */
export function createProgram(): Command {
  const program = new Command("plantstore")
    .description("Keeps a plant store's catalogue.")
    .version(process.argv.includes("--json") ? JSON.stringify(releaseInfo(), undefined, 2) : RELEASE)
    .showHelpAfterError("(--help says how it is used)")
    // Commander repeats what was typed.
    .configureOutput({ writeErr: (text) => process.stderr.write(printableLines(text)) })
    .exitOverride();
  for (const make of COMMANDS) program.addCommand(inheriting(make(), program));
  return program;
}

/** Commander passes its settings on only to commands that it creates itself. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const child of command.commands) inheriting(child, command);
  return command;
}
