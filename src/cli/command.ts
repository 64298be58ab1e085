import { Command, Option } from "commander";
import type { CallOptions, Exchange } from "#client/call-options.ts";
import { PlantstoreUnreachable } from "#client/error.ts";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { printNote } from "./output.ts";
import { UsageError } from "./report.ts";
import { secretOption } from "./secrets.ts";

export interface ClientCommandOptions {
  readonly url: string;
  readonly token?: string;
  readonly json?: boolean;
}

const URL_DEFAULT = "http://127.0.0.1:3000";
const TOKEN_VARIABLE = "PLANTSTORE_TOKEN";

/** A command that prints JSON with `--json`. Its help shows `examples` of how to type it. */
export function command(name: string, description: string, ...examples: readonly string[]): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print JSON")
    .addHelpText("after", `\n${examples.length === 1 ? "Example" : "Examples"}:\n  ${examples.join("\n  ")}`);
}

export function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const made = new Command(name).description(description);
  for (const each of commands) made.addCommand(each);
  return made;
}

export const STORE_OPTION = "the id of the store, or the e-mail address of a person who owns no other";

/** An operator's command about a store, on the database itself. */
export function storeCommand(...words: Parameters<typeof command>): Command {
  return command(...words).requiredOption("--account <account>", STORE_OPTION);
}

/** A command that reaches the service over HTTP. */
export function clientCommand(name: string, description: string, ...examples: readonly string[]): Command {
  const url = new Option("--url <url>", "the service's address").env("PLANTSTORE_URL").default(URL_DEFAULT);
  const token = secretOption("--token <token>", "an access token; others can see it in the process list");
  return command(name, description, ...examples)
    .addOption(url)
    .addOption(token.env(TOKEN_VARIABLE));
}

/** The client for these options. Throws UsageError if they cannot be used. */
export function connect({ url, token, json }: ClientCommandOptions): PlantstoreClient {
  if (!token) {
    throw new UsageError(
      `Give an access token: ${TOKEN_VARIABLE}, or --token; the dashboard's page Tokens makes one, as does \`plantstore token create\` where the service runs`,
    );
  }
  try {
    // A program that asked for JSON reads nothing else on standard error.
    const onExchange = json ? undefined : tellOfTrying();
    return new PlantstoreClient({ url: url.trim() || URL_DEFAULT, token, onExchange });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const SILENT_MS_MAX = 2000;

/** Returns a hook that says once, when tries have failed for two seconds, what is tried again and until when. */
function tellOfTrying(): (exchange: Exchange) => void {
  let telling: Timer | undefined;
  return ({ error, retriedUntil }) => {
    if (error instanceof PlantstoreUnreachable && retriedUntil !== undefined) {
      telling ??= setTimeout(
        () => printNote(`${error.message}; trying again until ${end(retriedUntil)}`),
        SILENT_MS_MAX,
      );
      telling.unref();
      return;
    }
    clearTimeout(telling);
    // A stream that is opened again goes on failing.
    if (!(error instanceof PlantstoreUnreachable)) telling = undefined;
  };
}

function end(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().replace(/\.\d+/, "") : "it answers";
}

/** Resolves with the result of a call, and with its answer as the service sent it, which `--json` prints. */
export async function withAnswer<T>(
  call: (options: CallOptions) => Promise<T>,
): Promise<{ readonly result: T; readonly json: string }> {
  let json = "";
  const result = await call({
    onExchange: ({ body = "" }) => {
      json = body;
    },
  });
  return { result, json };
}
