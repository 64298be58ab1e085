import type { Argument, Command, Option } from "commander";

/** The possible values of an option or argument: none, any text, a file, or one of some words. */
export type Value = "none" | "text" | "file" | readonly string[];

export interface CompletedOption {
  readonly long: string;
  readonly description: string;
  readonly value: Value;
}

export interface CompletedCommand {
  /** The words of the command without the program's name: "" or "plants import". */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletedOption[];
  /** The possible values of its arguments. */
  readonly argument: Value;
}

/** The program and every command below it. The scripts are made from the commands themselves, so they cannot differ. */
export function commandTree(command: Command, path = ""): CompletedCommand[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((child) => child.name() !== "help");
  const self = {
    path,
    commands: below.map((child) => ({ name: child.name(), description: child.description() })),
    options: help.visibleOptions(command).flatMap(completedOption),
    argument: argumentValue(command.registeredArguments[0]),
  };
  return [self, ...below.flatMap((child) => commandTree(child, `${path} ${child.name()}`.trim()))];
}

function completedOption(option: Option): CompletedOption[] {
  if (!option.long) return [];
  const takesValue = option.required || option.optional;
  const value = takesValue ? (option.argChoices ?? metavariable(option.flags)) : "none";
  return [{ long: option.long, description: option.description, value }];
}

function argumentValue(argument: Argument | undefined): Value {
  return argument ? (argument.argChoices ?? metavariable(`<${argument.name()}>`)) : "none";
}

function metavariable(flags: string): Value {
  return /[<[]file[>\]]/.test(flags) ? "file" : "text";
}

/** Text in single quotes, in a form that all three shells accept. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
