/** A number and its noun, as in "1 plant", "2 plants" or "2 identities". */
export function counted(count: number, noun: string, format: (count: number) => string = String): string {
  const plural = `${noun.replace(/([^aeiou])y$/, "$1ie")}s`;
  return `${format(count)} ${count === 1 ? noun : plural}`;
}
