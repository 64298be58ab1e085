import type { CompletedCommand, CompletedOption, Value } from "./command-tree.ts";

export function fishCompletion(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# Completion of plantstore for fish: plantstore completion fish | source
function __plantstore_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim -- "$at $word")
        contains -- $longer ${paths.join(" ")}; and set at $longer
    end
    test "$at" = "$argv[1]"
end
complete -c plantstore -e
complete -c plantstore -f
${tree.flatMap(completions).join("\n")}
`;
}

function completions({ path, commands, options, argument }: CompletedCommand): string[] {
  const here = `complete -c plantstore -n ${quoted(`__plantstore_at ${quoted(path)}`)}`;
  const words = typeof argument === "string" ? [] : [`${here} -a ${quoted(argument.join(" "))}`];
  return [
    ...commands.map(({ name, description }) => `${here} -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => `${here} ${optionFlags(option)}`),
    ...(argument === "file" ? [`${here} -F`] : words),
  ];
}

function optionFlags({ long, description, value }: CompletedOption): string {
  return `-l ${long.slice(2)}${accepted(value)} -d ${quoted(description)}`;
}

function accepted(value: Value): string {
  if (value === "none") return "";
  if (value === "file") return " -r -F";
  return value === "text" ? " -x" : ` -x -a ${quoted(value.join(" "))}`;
}

/** Within single quotes, fish interprets \' and \\. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
