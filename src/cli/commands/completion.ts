import { Argument, type Command } from "commander";
import { command } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { commandTree } from "../completion/command-tree.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { printJson } from "../output.ts";

/**
 * The scripts contain the whole command tree, so that Tab starts no process and asks no service. (Libraries for
 * commander start the program at each Tab, and offer no file names.)
 */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

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
    .action((name: keyof typeof SCRIPTS, { json }: { readonly json?: boolean }, self: Command) => {
      const script = SCRIPTS[name](commandTree(self.parent ?? self));
      if (json) printJson({ shell: name, script });
      else process.stdout.write(script);
    });
}
