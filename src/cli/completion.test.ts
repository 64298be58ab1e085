import { expect, test } from "bun:test";
import { Argument, Command, Option } from "commander";
import { completions } from "./completion.ts";

const imported = new Command("import")
  .description("add plants")
  .argument("<file>")
  .option("--refused <file>", "a file")
  .addOption(new Option("--format <format>").choices(["csv", "ndjson"]))
  .option("--name <text>")
  .option("--all", "everything")
  .addOption(new Option("--secret <text>").hideHelp());
const shell = new Command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
const program = new Command("plantstore").addCommand(new Command("plants").addCommand(imported)).addCommand(shell);

test.each([
  ["", ["plants\t", "completion\t"]],
  ["pl", ["plants\t"]],
  ["plants ", ["import\tadd plants"]],
  ["plants unknown imp", ["import\tadd plants"]],
  ["plants import ", [":"]],
  ["plants import --re", ["--refused\ta file"]],
  ["plants import --s", []],
  ["plants import --refused ", [":"]],
  ["plants import --refused=x", [":"]],
  ["plants import --format ", ["csv", "ndjson"]],
  ["plants import --format csv --a", ["--all\teverything"]],
  ["plants import --format=n", ["--format=ndjson"]],
  ["plants import --format = n", ["--format=ndjson"]],
  ["plants import --format =", ["--format=csv", "--format=ndjson"]],
  ["plants import --name imp", []],
  ["completion z", ["zsh"]],
  ["completion : z", []],
])("%p is completed by %j, and by nothing that is hidden", (line, lines) => {
  expect(completions(program, line.split(" "))).toEqual(lines);
});
