import { SETTINGS } from "./settings.ts";

export interface MisspeltSetting {
  readonly variable: string;
  /** The setting that is probably meant. */
  readonly meant: string;
}

/** Variables of other programs that are as near. */
const OF_OTHERS = ["SSL_CERT_FILE"];

/** The variables whose names are one or two letters off that of a setting; one for a name of up to five letters, as many are. */
export function misspeltSettings(variables: Readonly<Record<string, string | undefined>>): MisspeltSetting[] {
  const names = Object.keys(SETTINGS);
  return Object.keys(variables)
    .filter((variable) => !names.includes(variable) && !OF_OTHERS.includes(variable))
    .flatMap((variable) => {
      const [nearest] = names
        .map((meant) => ({ variable, meant, off: lettersOff(variable, meant) }))
        .filter(({ meant, off }) => off <= (meant.length <= 5 ? 1 : 2))
        .sort((a, b) => a.off - b.off);
      return nearest ? [{ variable, meant: nearest.meant }] : [];
    });
}

/** A warning such as "SINGUP: do you mean SIGNUP?". */
export function misspeltWarning({ variable, meant }: MisspeltSetting): string {
  return `${variable}: do you mean ${meant}?`;
}

/** How many letters are missing, too many, others, or swapped with the next (optimal string alignment). */
function lettersOff(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const swapped = isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const others = [(last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + Number(!isSame)];
      next.push(Math.min(swapped, ...others));
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
