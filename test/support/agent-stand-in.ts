import { parseArgs } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * Connects to a server as an agent would that was given it by `claude mcp add NAME …` as the documents show, or by a file
 * of settings, and prints the names of its tools.
 */
interface Server {
  readonly command?: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

const [how, given = ""] = process.argv.slice(2);
const servers: Record<string, Server> = how === "settings" ? JSON.parse(given).mcpServers : added();
for (const [name, { command = "", args, env = {}, url, headers = {} }] of Object.entries(servers)) {
  const client = new Client({ name: "tests", version: "1.0.0" });
  const { PATH = "" } = process.env;
  await client.connect(
    url === undefined
      ? new StdioClientTransport({ command, args, env: { PATH, ...env } })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  const { tools } = await client.listTools();
  console.log(`${name}: ${tools.map((tool) => tool.name).join(" ")}`);
  await client.close();
}

function added(): Record<string, Server> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(4),
    allowPositionals: true,
    options: {
      env: { type: "string", multiple: true, default: [] },
      header: { type: "string", multiple: true, default: [] },
      transport: { type: "string", default: "stdio" },
    },
  });
  const [name = "", target = "", ...args] = positionals;
  const pairs = (lines: string[], mark: string) => Object.fromEntries(lines.map((line) => split(line, mark)));
  return {
    [name]:
      values.transport === "http"
        ? { url: target, headers: pairs(values.header, ": ") }
        : { command: target, args, env: pairs(values.env, "=") },
  };
}

function split(line: string, mark: string): [string, string] {
  const at = line.indexOf(mark);
  return [line.slice(0, at), line.slice(at + mark.length)];
}
