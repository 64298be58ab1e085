import type { Argument, Command, Option } from "commander";

/** The line of an answer for a word that is the name of a file, which the shell completes. */
const FILE = ":";

/**
 * The lines with which a shell completes the last of the words after the program's name: each a word and, after a tab, its
 * description. They are found in the commands themselves.
 */
export function completions(program: Command, words: readonly string[]): string[] {
  const typed = joined(words);
  const current = typed.pop() ?? "";
  let command = program;
  let option: Option | undefined;
  for (const word of typed) {
    const child = option ? undefined : visibleCommands(command).find((each) => each.name() === word);
    option = option ? undefined : valueOption(command, word);
    command = child ?? command;
  }
  const [, prefix = "", name = ""] = /^((--[^=]+)=)/.exec(current) ?? [];
  option ??= valueOption(command, name);
  if (option) return values(option.argChoices, option.flags, prefix).filter(startingWith(current));
  const offered = current.startsWith("-") ? options(command) : wordsOf(command);
  return offered.filter(startingWith(current));
}

/** Bash takes = and : for words: --format=csv and plants:read arrive as three each. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = [];
  for (const [index, word] of words.entries()) {
    const isPart = index > 0 && /^[=:]$/.test(words[index - 1] ?? "");
    if (whole.length > 0 && (isPart || /^[=:]$/.test(word))) whole.push(whole.pop() + word);
    else whole.push(word);
  }
  return whole;
}

function startingWith(current: string): (line: string) => boolean {
  return (line) => line === FILE || line.startsWith(current);
}

function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help");
}

function valueOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, required, optional }) => long === word && (required || optional));
}

function options(command: Command): string[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, description }) => (long ? [`${long}\t${description}`] : []));
}

function wordsOf(command: Command): string[] {
  const commands = visibleCommands(command);
  if (commands.length > 0) return commands.map((child) => `${child.name()}\t${child.description()}`);
  const argument: Argument | undefined = command.registeredArguments[0];
  return argument ? values(argument.argChoices, `<${argument.name()}>`) : [];
}

/** A word of the help, as in `--refused <file>`, says what a value is. */
function values(choices: readonly string[] | undefined, flags: string, prefix = ""): string[] {
  if (choices) return choices.map((choice) => prefix + choice);
  return /[<[]file[>\]]/.test(flags) ? [FILE] : [];
}
