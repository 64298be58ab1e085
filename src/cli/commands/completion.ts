import { Argument, type Command } from "commander";
import { command } from "../command.ts";
import { printJson } from "../output.ts";

/** Each asks the program itself at every Tab (`plantstore __complete`), and lets the shell complete a file for ":". */
const SCRIPTS = {
  bash: `# Completion of plantstore for bash: eval "$(plantstore completion bash)"
_plantstore() {
  local IFS=$'\\n' before=\${COMP_WORDS[COMP_CWORD - 1]} current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(command "$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f 1))
  if [[ $COMPREPLY == : ]]; then COMPREPLY=(); else compopt +o default 2>/dev/null; fi
  if [[ $before$current == [=:]* ]]; then COMPREPLY=("\${COMPREPLY[@]##*[=:]}"); fi
}
complete -o bashdefault -o default -F _plantstore plantstore
`,
  zsh: `#compdef plantstore
# Completion of plantstore for zsh: eval "$(plantstore completion zsh)" after compinit
_plantstore() {
  local found=("\${(@f)$(command $words[1] __complete "\${(@)words[2,CURRENT]}")}")
  if [[ $found == : ]]; then compset -P '--*='; _files; return; fi
  found=(\${\${found//:/\\\\:}/$'\\t'/:}) && _describe plantstore found
}
if [[ $funcstack[1] == _plantstore ]]; then _plantstore "$@"; else compdef _plantstore plantstore; fi
`,
  fish: `# Completion of plantstore for fish: plantstore completion fish | source
function __plantstore_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (command $words[1] __complete $words[2..-1] "$current")
    if test "$found" = :
        __fish_complete_path (string replace -r -- '^--[^=]+=' '' "$current")
    else
        printf '%s\\n' $found
    end
end
complete -c plantstore -e
complete -c plantstore -f -a '(__plantstore_complete)'
`,
};

export function completionCommand(): Command {
  const shell = new Argument("<shell>", "the shell that is to complete").choices(Object.keys(SCRIPTS));
  return command(
    "completion",
    "print the script with which a shell completes plantstore's commands",
    'eval "$(plantstore completion bash)"     in ~/.bashrc',
    'eval "$(plantstore completion zsh)"      in ~/.zshrc, after compinit',
    "plantstore completion fish | source      in ~/.config/fish/config.fish",
  )
    .addArgument(shell)
    .action((name: keyof typeof SCRIPTS, { json }: { readonly json?: boolean }) => {
      if (json) printJson({ shell: name, script: SCRIPTS[name] });
      else process.stdout.write(SCRIPTS[name]);
    });
}
