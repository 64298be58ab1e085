import type { CallToolResult, McpServer, StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";

/** A tool that an agent can call. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Without this scope of the token the tool is not offered. */
  readonly scope: "plants:read" | "plants:write";
  readonly annotations: Omit<ToolAnnotations, "title" | "openWorldHint">;
  readonly input: Input;
  readonly output: Output;
  call(client: PlantstoreClient, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Adds a tool to a server. Its answer is given both as structured content and as text. */
export function addTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  server: McpServer,
  client: PlantstoreClient,
  { name, title, description, annotations, input, output, call }: Tool<Input, Output>,
): void {
  const config = {
    title,
    description,
    inputSchema: input as StandardSchemaWithJSON<unknown, z.output<Input>>,
    outputSchema: output as StandardSchemaWithJSON,
    // A tool reaches only the store of the token's account.
    annotations: { ...annotations, openWorldHint: false },
  };
  server.registerTool(name, config, async (given): Promise<CallToolResult> => {
    try {
      const content = await call(client, given);
      return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: content };
    } catch (error) {
      return refusal(error);
    }
  });
}

/** A refusal of the service is passed to the agent with its number; any other error is a fault of this server. */
function refusal(error: unknown): CallToolResult {
  if (!(error instanceof PlantstoreError || error instanceof PlantstoreUnreachable)) throw error;
  const text = error instanceof PlantstoreError ? `${error.error}: ${error.message}` : error.message;
  return { isError: true, content: [{ type: "text", text }] };
}
