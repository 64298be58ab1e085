import { Command, Option } from "commander";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { WrongUsage } from "./report.ts";

/** What every command takes that is a client of the API. */
export interface ClientCommandOptions {
  readonly url: string;
  readonly token?: string;
  readonly json?: boolean;
}

const URL_DEFAULT = "http://127.0.0.1:3000";

/** A command that reaches the service over HTTP. `example` is how it is typed most often. */
export function clientCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .addOption(new Option("--url <url>", "the service's address").env("PLANTSTORE_URL").default(URL_DEFAULT))
    .addOption(new Option("--token <token>", "an access token; others can see it in the process list").env(TOKEN))
    .option("--json", "print JSON")
    .addHelpText("after", `\nExample:\n  ${example}`);
}

const TOKEN = "PLANTSTORE_TOKEN";

/** The client that the options ask for. */
export function connect({ url, token }: ClientCommandOptions): PlantstoreClient {
  if (!token) {
    throw new WrongUsage(`Give an access token: ${TOKEN}, or --token; \`plantstore token create\` makes one`);
  }
  try {
    return new PlantstoreClient({ url: url || URL_DEFAULT, token });
  } catch (error) {
    throw new WrongUsage(error instanceof Error ? error.message : String(error));
  }
}
