/** The command that is typed, after the options of the whole program. It is asked for before the parser is loaded. */
export function namedCommand(args: readonly string[]): string | undefined {
  const at = args.findIndex((word, index) => !word.startsWith("-") && args[index - 1] !== "--env-file");
  return args[at];
}
