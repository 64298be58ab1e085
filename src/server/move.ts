import { type MovedTable, type MoveOptions, move } from "#storage/move/move.ts";
import { readSettings } from "./settings.ts";

/** Makes one database a copy of another. Both addresses have the form of DATABASE_URL. */
export function moveDatabase({ from, to, ...options }: MoveOptions): Promise<MovedTable[]> {
  const checked = (url: string) => readSettings({ DATABASE_URL: url }).DATABASE_URL;
  return move({ from: checked(from), to: checked(to), ...options });
}
