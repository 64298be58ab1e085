import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { PlantstoreError } from "#client/error.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { LineTransport } from "./line-transport.ts";
import { createMcpServer } from "./server.ts";

/** Serves the Model Context Protocol on standard input and output, until its input ends. Throws if the token is refused. */
export async function mcpOverStdio(client: PlantstoreClient): Promise<void> {
  const scopes = await scopesOf(client);
  const transport = new LineTransport(process.stdin, process.stdout);
  serveStdio(() => createMcpServer(client, scopes, console.error), { transport });
  await transport.closed;
}

/** Finds the scopes of the client's token by a list of one plant and an import of none, which changes nothing. */
async function scopesOf(client: PlantstoreClient): Promise<string[]> {
  const [canRead, canWrite] = await Promise.all([
    allowed(client.page({ limit: 1 })),
    allowed(client.importPlants("", { format: "ndjson" })),
  ]);
  return [...(canRead ? ["plants:read"] : []), ...(canWrite ? ["plants:write"] : [])];
}

async function allowed(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof PlantstoreError && error.code === "scope-missing") return false;
    throw error;
  }
}
