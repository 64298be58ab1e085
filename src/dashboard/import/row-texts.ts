/** Texts of a file as they are shown in one line. */

export function listed(names: readonly string[]): string {
  const short = names.map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name));
  return short.length < 2 ? short.join() : `${short.slice(0, -1).join(", ")} and ${short.at(-1)}`;
}

export function shortened(cell: string): string {
  return cell.length > 120 ? `${cell.slice(0, 120)}…` : cell;
}
