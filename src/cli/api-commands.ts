import { completionCommand } from "./commands/completion.ts";
import { eventsCommand, listenCommand, triggerCommand } from "./commands/events.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { plantsCommand } from "./commands/plants.ts";
import { webhooksCommand } from "./commands/webhooks.ts";

/** The commands that speak to the API alone, with a token. */
export const API_COMMANDS = [
  plantsCommand,
  eventsCommand,
  webhooksCommand,
  listenCommand,
  triggerCommand,
  mcpCommand,
  completionCommand,
];
