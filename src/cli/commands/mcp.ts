import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";

export function mcpCommand(): Command {
  return clientCommand(
    "mcp",
    "serve the Model Context Protocol on standard input and output, for an agent that starts it",
    "PLANTSTORE_TOKEN=plant_… plantstore mcp --url https://plants.example.com",
  ).action(async (options: ClientCommandOptions) => {
    const { mcpOverStdio } = await import("#mcp/stdio.ts");
    await mcpOverStdio(connect(options));
  });
}
