import { type MovedTable, type MoveOptions, move } from "#storage/move/move.ts";
import { InvalidSetting, readSettings } from "../settings.ts";

/** Makes one database a copy of another. Both addresses have the form of DATABASE_URL. */
export async function moveDatabase({ from, to, ...options }: MoveOptions): Promise<MovedTable[]> {
  return move({ from: checked("--from", from), to: checked("--to", to), ...options });
}

/** The address is not repeated, as it may hold a password. */
function checked(option: string, url: string): string {
  try {
    return readSettings({ DATABASE_URL: url }).DATABASE_URL;
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error;
    throw new InvalidSetting(error.message.replace("DATABASE_URL", option));
  }
}
