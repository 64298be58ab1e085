import { beforeAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInProcess } from "./support/run-in-process.ts";
import { COMMAND, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";
import { openTerminal } from "./support/terminal.ts";

const folder = temporaryFolder();
const env = { PATH: `${dirname(COMMAND)}:${process.env.PATH}`, HOME: folder, LC_ALL: "C.UTF-8" };

beforeAll(async () => {
  writeFileSync(join(folder, "catalogue.csv"), "id,name\n");
  for (const shell of ["bash", "zsh", "fish"])
    writeFileSync(join(folder, shell), (await runInProcess(["completion", shell])).out);
});

/** Typed text, and the words that the program gets after Tab and Enter. */
const COMPLETED = [
  ["pla", "plants"],
  ["plants imp", "plants|import"],
  ["plants import cat", "plants|import|catalogue.csv"],
  ["plants import --form", "plants|import|--format"],
  ["plants import --format nd", "plants|import|--format|ndjson"],
  ["plants import --format=nd", "plants|import|--format=ndjson"],
  ["plants import --refused cat", "plants|import|--refused|catalogue.csv"],
  ["plants list --order i", "plants|list|--order|id"],
  ["plants list --tag pla", "plants|list|--tag|pla"],
  ["plants add cat", "plants|add|cat"],
  ["token create --scope plants:r", "token|create|--scope|plants:read"],
  ["completion f", "completion|fish"],
] as const;

const STARTED = {
  bash: ["bash", "--norc", "--noprofile", "-i"],
  zsh: ["zsh", "-f", "-i"],
  fish: ["fish", "--no-config", "-i"],
} as const;

/** Loads the completion script, and replaces plantstore by a function that prints its arguments. */
const PREPARED = {
  bash: "source ./bash; plantstore() { local IFS='|'; echo \"given <$*>\"; }",
  zsh: "autoload -U compinit; compinit -u -D; source ./zsh; plantstore() { local IFS='|'; echo \"given <$*>\"; }",
  fish: "source ./fish; function plantstore; echo 'given <'(string join '|' -- $argv)'>'; end",
} as const;

for (const shell of ["bash", "zsh", "fish"] as const) {
  const name = `${shell} completes commands, options, their values and files`;
  testUnless(missingProgram(shell), name, async () => {
    const terminal = openTerminal([...STARTED[shell]], { cwd: folder, env });
    terminal.type(`${PREPARED[shell]}; printf 're%s\\n' ady\r`);
    await terminal.shows("ready");
    for (const [typed, given] of COMPLETED) {
      terminal.type(`plantstore ${typed}\t\r`);
      await terminal.shows(/given <.*>/);
      expect([typed, /given <(.*)>/.exec(terminal.shown())?.[1]]).toEqual([typed, given]);
    }
    terminal.close();
  });
}
