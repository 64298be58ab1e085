const ASYNC_CLIENT = "clients/python/src/plantstore/_async.py";
export const SYNC_CLIENT = "clients/python/src/plantstore/_sync.py";

/** From the words of asyncio to those of plain Python, in this order. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/import asyncio/, "import time"],
  [/asyncio\.sleep/g, "time.sleep"],
  [/AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable/, "Callable, Generator, Iterable, Iterator"],
  [/\bAsyncGenerator\[(\w+), None\]/g, "Generator[$1, None, None]"],
  [/Iterable\[([^[\]]+)\] \| AsyncIterable\[\1\]/g, "Iterable[$1]"],
  [/ +each_async,\n/, ""],
  [/\beach_async\(/g, "iter("],
  [/\bAsync(?=Plantstore|Client|Export|Webhooks|Itera)/g, ""],
  [/\b(?:async|await) /g, ""],
  [/__a(enter|exit|next)__/g, "__$1__"],
  [/\ba(close|read|iter_bytes)\(/g, "$1("],
  [/for (\w+) in (.*):\n +yield \1\n/g, "yield from $2\n"],
];

/** The Python client for plain programs, which is made of that for asyncio. */
export function syncClient(read: (path: string) => string): string {
  const made = RULES.reduce((text, [pattern, words]) => text.replace(pattern, words), read(ASYNC_CLIENT));
  return `# Made of _async.py by scripts/python-sync.ts (npm run tables).\n${made}`;
}
