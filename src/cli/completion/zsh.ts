import { type CompletedCommand, type CompletedOption, quoted, type Value } from "./command-tree.ts";

/** For zsh's own completion system: to be evaluated, or stored as `_plantstore` in a folder of `fpath`. */
export function zshCompletion(tree: readonly CompletedCommand[]): string {
  const paths = tree.filter(({ path }) => path !== "").map(({ path }) => `(${path.replaceAll(" ", "\\ ")})`);
  return `#compdef plantstore
# Completion of plantstore for zsh: eval "$(plantstore completion zsh)" after compinit
_plantstore() {
  local at= depth=0 longer index
  for ((index = 2; index < CURRENT; index++)); do
    longer=\${at:+$at }\${words[index]}
    case $longer in
      ${paths.join(" | ")}) at=$longer depth=$((index - 1)) ;;
    esac
  done
  shift $depth words
  ((CURRENT -= depth))
  case $at in
${tree.map(completed).join("\n")}
  esac
}
if [[ $funcstack[1] == _plantstore ]]; then _plantstore "$@"; else compdef _plantstore plantstore; fi
`;
}

function completed({ path, commands, options, argument }: CompletedCommand): string {
  const specs = [...options.map(optionSpec), ...positional(commands, argument)];
  return `    ${quoted(path)}) _arguments ${specs.map(quoted).join(" ")} ;;`;
}

function optionSpec({ long, description, value }: CompletedOption): string {
  const text = `[${escaped(description)}]`;
  return value === "none" ? `${long}${text}` : `${long}=${text}:${long.slice(2)}:${action(value)}`;
}

function positional(commands: CompletedCommand["commands"], argument: Value): string[] {
  if (commands.length > 0) {
    const described = commands.map(({ name, description }) => `${name}\\:${quoted(escaped(description))}`);
    return [`1:command:((${described.join(" ")}))`];
  }
  return argument === "none" ? [] : [`*:argument:${action(argument)}`];
}

function action(value: Value): string {
  if (typeof value !== "string") return `(${value.map(escaped).join(" ")})`;
  return value === "file" ? "_files" : " ";
}

/** Escapes the characters that have a meaning in _arguments. */
function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}
