import { expect, test } from "bun:test";
import type { Command } from "commander";
import { createProgram } from "./program.ts";

const commands = leaves(createProgram(), "plantstore");

function leaves(command: Command, path: string): [string, Command][] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((child) => leaves(child, `${path} ${child.name()}`));
}

test.each(commands)("%s speaks JSON with --json, and its help has a description and an example", (path, command) => {
  let help = "";
  const writeOut = (text: string) => {
    help += text;
  };
  command.configureOutput({ writeOut }).outputHelp();
  expect(command.options.map(({ long }) => long)).toContain("--json");
  expect(command.description()).not.toBe("");
  expect(help).toContain(`Usage: ${path}`);
  expect(help).toMatch(new RegExp(`Examples?:\\n  (?:.*\\b)?${path}`));
});
