import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Plant } from "#core/plant.ts";
import { ExportCut, exportStream } from "./export-stream.ts";

const SILENCE_S = 1;
const PAGES = 2000;
const form = { head: "", record: ({ name }: Plant) => name };
const page: Plant[] = [
  { number: 1n, id: 1n, name: "x".repeat(64 * 1024), tag: undefined, revision: 1, createdAt: 0, updatedAt: 0 },
];

let pagesRead = 0;
let open = 0;
async function* pages(): AsyncGenerator<readonly Plant[]> {
  open++;
  try {
    for (; pagesRead < PAGES; pagesRead++) yield page;
  } finally {
    open--;
  }
}

const ends: unknown[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request, server) {
    server.timeout(request, SILENCE_S);
    return new Response(await exportStream(pages, form, (error) => ends.push(error), SILENCE_S));
  },
});
afterAll(() => server.stop(true));

test("a reader that stalls holds the export back, and is ended with that reason; its snapshot is let go", async () => {
  const socket = await stalledReader();
  const deadline = Date.now() + 60_000;
  while (ends.length === 0 && Date.now() < deadline) await Bun.sleep(50);
  expect(ends.map(String)).toEqual(["Error: its reader took nothing for 1 s"]);
  expect(open).toBe(0);
  expect(pagesRead).toBeLessThan(PAGES / 2);
  socket.destroy();
}, 60_000);

test("an export that is cut ends for its reader at once, though no page is asked for, and its pages are let go", async () => {
  const found: unknown[] = [];
  let cut = (_: string) => {};
  const stream = await exportStream(
    (onCut) => {
      cut = onCut;
      return pages();
    },
    form,
    (error) => found.push(error),
  );
  const reader = stream.getReader();
  await reader.read();
  expect(open).toBe(1);
  cut("it takes too long");
  cut("it takes too long");
  await expect(reader.read()).rejects.toThrow("it takes too long");
  await expect(reader.closed).rejects.toBeInstanceOf(ExportCut);
  expect(found.map(String)).toEqual(["Error: it takes too long"]);
  expect(open).toBe(0);
});

test("a page that cannot be read ends the export with its reason, and an early one is thrown before any answer", async () => {
  const found: unknown[] = [];
  const failing = async function* (good: number): AsyncGenerator<readonly Plant[]> {
    for (let i = 0; i < good; i++) yield page;
    throw new Error("disk");
  };
  const stream = await exportStream(
    () => failing(2),
    form,
    (error) => found.push(error),
  );
  expect(new Response(stream).text()).rejects.toThrow("disk");
  while (found.length === 0) await Bun.sleep(1);
  expect(String(found[0])).toBe("Error: disk");
  expect(
    exportStream(
      () => failing(0),
      form,
      () => {},
    ),
  ).rejects.toThrow("disk");
});

async function stalledReader(): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: server.port ?? 0 });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return socket;
}
