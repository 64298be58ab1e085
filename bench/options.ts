import { parseArgs } from "node:util";

type Options = Readonly<Record<string, number | string>>;

/** The options of the command line (`--rounds 9`), by their names: numbers and texts, as their defaults are. */
export function readOptions<Defaults extends Options>(
  defaults: Defaults,
): { readonly [Name in keyof Defaults]: Defaults[Name] extends number ? number : string } {
  const texts = Object.entries(defaults).map(
    ([name, value]) => [name, { type: "string", default: `${value}` }] as const,
  );
  const { values } = parseArgs({ options: Object.fromEntries(texts) });
  const read = Object.entries(defaults).map(([name, value]) => {
    return [name, typeof value === "number" ? Number(values[name]) : values[name]];
  });
  return Object.fromEntries(read);
}
