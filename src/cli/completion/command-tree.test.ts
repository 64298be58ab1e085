import { expect, test } from "bun:test";
import { Argument, Command, Option } from "commander";
import { commandTree, quoted } from "./command-tree.ts";

test("any text that is quoted is one word of the same characters to a shell", () => {
  const texts = ["", "a b", "it's", "''", "$HOME `id` $(id)", 'a"b', "\\", "\n", "*?[x]~", "木 🌿", "-n", "!x"];
  const script = `printf '%s\\0' ${texts.map(quoted).join(" ")}`;
  const { stdout } = Bun.spawnSync(["bash", "-c", script]);
  expect(stdout.toString().split("\0").slice(0, -1)).toEqual(texts);
});

test("a tree has every visible command and option, what it may be followed by, and nothing that is hidden", () => {
  const child = new Command("import")
    .description("add plants")
    .argument("<file>")
    .option("--refused <file>")
    .addOption(new Option("--format <format>").choices(["csv", "ndjson"]))
    .option("--name <text>")
    .option("--all")
    .addOption(new Option("--secret <text>").hideHelp());
  const shell = new Command("completion").addArgument(new Argument("<shell>").choices(["bash", "zsh"]));
  const program = new Command("plantstore").addCommand(new Command("plants").addCommand(child)).addCommand(shell);
  const tree = commandTree(program);
  expect(tree.map(({ path }) => path)).toEqual(["", "plants", "plants import", "completion"]);
  const [, , imported, completion] = tree;
  expect([imported?.argument, completion?.argument]).toEqual(["file", ["bash", "zsh"]]);
  expect(imported?.options.map(({ long, value }) => [long, value])).toEqual([
    ["--refused", "file"],
    ["--format", ["csv", "ndjson"]],
    ["--name", "text"],
    ["--all", "none"],
    ["--help", "none"],
  ]);
});
