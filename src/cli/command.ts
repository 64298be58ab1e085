import { Command } from "commander";

/** A command that prints JSON with `--json`. Its help shows `examples` of how to type it. */
export function command(name: string, description: string, ...examples: readonly string[]): Command {
  return new Command(name)
    .description(description)
    .option("--json", "print JSON")
    .addHelpText("after", `\n${examples.length === 1 ? "Example" : "Examples"}:\n  ${examples.join("\n  ")}`);
}
