/** A number and its noun, as in "1 plant" or "2 plants", for nouns whose plural ends with "s". */
export function counted(count: number, noun: string, format: (count: number) => string = String): string {
  return `${format(count)} ${noun}${count === 1 ? "" : "s"}`;
}
