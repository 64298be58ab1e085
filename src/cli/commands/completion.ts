import { Argument, Command } from "commander";
import { bashCompletion } from "../completion/bash.ts";
import { commandTree } from "../completion/command-tree.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";

/**
 * Scripts that hold the whole command tree: Tab asks no process and no service. (Libraries for commander start the
 * program at each Tab, and offer no file names.)
 */
const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export function completionCommand(): Command {
  const shell = new Argument("<shell>", "the shell that is to complete").choices(Object.keys(SCRIPTS));
  return new Command("completion")
    .description("print the script with which a shell completes plantstore's commands")
    .addArgument(shell)
    .addHelpText(
      "after",
      `
Example:
  eval "$(plantstore completion bash)"     in ~/.bashrc
  eval "$(plantstore completion zsh)"      in ~/.zshrc, after compinit
  plantstore completion fish | source      in ~/.config/fish/config.fish`,
    )
    .action((name: keyof typeof SCRIPTS, _options: object, self: Command) => {
      process.stdout.write(SCRIPTS[name](commandTree(self.parent ?? self)));
    });
}
