import type { Command } from "commander";
import type { ListedSetting } from "#server/operator/settings.ts";
import { command } from "../command.ts";
import { type Columns, printNote, printRows } from "../output.ts";

export function settingsCommand(): Command {
  return command(
    "settings",
    "list every setting with its value (secrets as `set`), where that comes from, and what it is for",
    "plantstore settings --env-file /etc/plantstore.env",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { listSettings } = await import("#server/operator/settings.ts");
    const { misspeltWarning } = await import("#server/misspelt-settings.ts");
    const { readSettings } = await import("#server/settings.ts");
    const { settings, misspelt } = listSettings(process.env);
    printRows(json, settings, COLUMNS);
    for (const each of misspelt) printNote(`plantstore: ${misspeltWarning(each)}`);
    // Refuses what the service would refuse.
    readSettings(process.env);
  });
}

const COLUMNS: Columns<ListedSetting> = {
  NAME: ({ name }) => name,
  VALUE: ({ value }) => value ?? "not set",
  SOURCE: ({ source }) => source,
  MEANING: ({ meaning }) => meaning,
};
