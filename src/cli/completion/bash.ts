import { type CompletedCommand, quoted, type Value } from "./command-tree.ts";

/** Works from bash 3.2 on, the version of macOS. Where nothing is offered, bash completes file names. */
export function bashCompletion(tree: readonly CompletedCommand[]): string {
  return `# Completion of plantstore for bash: eval "$(plantstore completion bash)"
_plantstore() {
  local at= words= options= prefix= longer index last=$COMP_CWORD
  # Bash takes = and : for words: --format=csv and plants:read arrive as three each.
  local current=\${COMP_WORDS[last]}
  if [[ $current == [=:] ]]; then current= last=$((last + 1)); fi
  if [[ $last -gt 2 && \${COMP_WORDS[last - 1]} == : ]]; then last=$((last - 2)) prefix=\${COMP_WORDS[last]}:; fi
  if [[ $last -gt 2 && \${COMP_WORDS[last - 1]} == = ]]; then last=$((last - 1)); fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    longer=\${at:+$at }\${COMP_WORDS[index]}
    case $longer in
      ${paths(tree).join(" | ")}) at=$longer ;;
    esac
  done
  COMPREPLY=()
  case "$at \${COMP_WORDS[last - 1]}" in
${tree.flatMap(optionValues).join("\n")}
  esac
  case $at in
${tree.map(choices).join("\n")}
  esac
  [[ $current == -* ]] && words=$options
  _plantstore_offer "$words"
}
_plantstore_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$prefix$current"))
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
}
_plantstore_no_files() { compopt +o default 2>/dev/null; }
complete -o bashdefault -o default -F _plantstore plantstore
`;
}

function paths(tree: readonly CompletedCommand[]): string[] {
  return tree.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
}

function optionValues({ path, options }: CompletedCommand): string[] {
  return options
    .filter(({ value }) => value !== "none")
    .map(({ long, value }) => `    ${quoted(`${path} ${long}`)}) ${offer(value)}return ;;`);
}

function choices({ path, commands, options, argument }: CompletedCommand): string {
  const words = typeof argument === "string" ? commands.map(({ name }) => name) : argument;
  const flags = options.map(({ long }) => long).join(" ");
  const files = argument === "file" ? "" : "_plantstore_no_files; ";
  return `    ${quoted(path)}) ${files}words=${quoted(words.join(" "))} options=${quoted(flags)} ;;`;
}

function offer(value: Value): string {
  if (value === "file") return "";
  return typeof value === "string" ? "_plantstore_no_files; " : `_plantstore_offer ${quoted(value.join(" "))}; `;
}
