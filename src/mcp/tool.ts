import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { z } from "zod";
import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { describe } from "#contract/found-value.ts";
import { shortened } from "./answer-size.ts";

interface NamedTool {
  readonly name: string;
  /** The tool is offered only to tokens with this scope. */
  readonly scope: "plants:read" | "plants:write";
}

interface ToolParts<Input extends z.ZodObject, Output extends z.ZodObject> extends NamedTool {
  readonly title: string;
  readonly description: string;
  /** True for a tool that writes and takes away what was there. */
  readonly isDestructive?: true;
  /** Strict, so that an argument that the tool does not know is refused. */
  readonly input: Input;
  readonly output: Output;
  call(client: PlantstoreClient, input: z.output<Input>): Promise<z.input<Output>>;
}

export interface Tool<Content extends object = object> extends NamedTool {
  /** The entry in the answer to `tools/list`. */
  readonly listed: object;
  /** Reads the arguments and does the work. Rejects with whatever went wrong. */
  run(client: PlantstoreClient, given: unknown): Promise<Content>;
}

export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  parts: ToolParts<Input, Output>,
): Tool<z.input<Output>> {
  const { name, scope, title, description, isDestructive = false, input, output, call } = parts;
  const hints =
    scope === "plants:read" ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: isDestructive };
  return {
    name,
    scope,
    listed: {
      name,
      title,
      description,
      inputSchema: z.toJSONSchema(input),
      outputSchema: z.toJSONSchema(output),
      // A tool may be called again, and reaches only the store of the token's account.
      annotations: { ...hints, idempotentHint: true, openWorldHint: false },
    },
    async run(client, given) {
      const read = input.safeParse(given, { reportInput: true });
      if (!read.success) throw refusedArguments(name, input, read.error);
      return call(client, read.data);
    },
  };
}

/**
 * The answer of a tool, both as structured content and as text, or its refusal with a number for the agent. Throws for a
 * tool that is not offered. `onFault` is told of errors that are faults of this server.
 */
export async function callTool(
  tools: readonly Tool[],
  client: PlantstoreClient,
  { name, arguments: given = {} }: { readonly name: string; readonly arguments?: unknown },
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name);
  if (!tool) {
    const problem = `There is no tool ${describe(name)} for this token; tools/list names those that there are`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, problem);
  }
  try {
    const content = await tool.run(client, given);
    return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: { ...content } };
  } catch (error) {
    const refusal = refusalText(error);
    if (refusal === undefined) onFault(error);
    const text = refusal ?? `${ERROR_NUMBERS.fault}: The tool failed`;
    return { isError: true, content: [{ type: "text", text: shortened(text) }] };
  }
}

/** The text of a refusal, as in "40901: The id 7 is taken …"; undefined for an internal error. */
function refusalText(error: unknown): string | undefined {
  if (error instanceof PlantstoreError) return `${error.error}: ${error.message}`;
  if (error instanceof PlantstoreUnreachable) return `${ERROR_NUMBERS.unavailable}: ${error.message}`;
  return undefined;
}

function refusedArguments(name: string, input: z.ZodObject, { issues }: z.ZodError): PlantstoreError {
  const [issue] = issues;
  const path = issue?.path ?? [];
  const isMissing = path.length > 0 && issue?.input === undefined;
  const where = describe(path.join("."));
  const problem = isMissing
    ? `the required argument ${where} is missing`
    : issue?.code === "unrecognized_keys"
      ? unknownArguments(issue.keys, path, input)
      : `${path.length > 0 ? `${where}: ` : ""}${issue?.message ?? "malformed"}`;
  const error = ERROR_NUMBERS[isMissing ? "body-not-a-plant" : "member-invalid"];
  return new PlantstoreError(`Cannot call ${name}: ${problem}`, { error, status: 400 });
}

function unknownArguments(keys: readonly string[], path: readonly PropertyKey[], input: z.ZodObject): string {
  const names = path.length > 0 ? "" : `; it takes ${Object.keys(input.shape).join(", ")}`;
  return `there is no argument ${describe([...path, ...keys.slice(0, 1)].join("."))}${names}`;
}
