import { Command } from "commander";
import { printableLines } from "#core/printable.ts";
import { RELEASE, releaseInfo } from "#server/process/release.ts";
import { completions } from "./completion.ts";
import { namedCommand } from "./named-command.ts";
import { reportFailure } from "./report.ts";
import { withoutSecrets } from "./secrets.ts";

/** Runs a command line to its end, and resolves with the exit code. `create` makes the program, which prints JSON if told so. */
export async function runWith(create: (json: boolean) => Command, args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const program = create(json);
  if (args[0] === "__complete") {
    process.stdout.write(completions(program, args.slice(1)).join("\n"));
    return 0;
  }
  try {
    await program.parseAsync(args[0] === "help" ? asksForHelp(program, args.slice(1)) : args, { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    const isLogged = json || process.env.LOG_FORMAT?.trim() === "json";
    return reportFailure(error, json, isLogged && namedCommand(args) === "serve");
  }
}

/** The program without its commands. */
export function newProgram(description: string, json: boolean): Command {
  return (
    new Command("plantstore")
      .description(description)
      .version(json ? JSON.stringify(releaseInfo(), undefined, 2) : RELEASE)
      .showHelpAfterError("(--help says how it is used)")
      // Commander repeats what was typed. As JSON, its error is reported like any other.
      .configureOutput({ writeErr: (text) => json || process.stderr.write(printableLines(withoutSecrets(text))) })
      .exitOverride()
      .configureHelp({ showGlobalOptions: true })
  );
}

export function addCommands(program: Command, commands: readonly (() => Command)[]): Command {
  for (const make of commands) program.addCommand(inheriting(make(), program));
  return program;
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
