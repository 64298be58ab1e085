import { afterAll, expect, test } from "bun:test";
import { eventually } from "#test/support/eventually.ts";
import { RawConnection } from "#test/support/raw-connection.ts";
import { ExportCut, exportStream } from "./export-stream.ts";

const SILENCE_S = 1;
const PAGES = 2000;
const page = { bytes: new Uint8Array(64 * 1024) };
const unwatched = () => () => {};

let pagesRead = 0;
let open = 0;
async function* pages(): AsyncGenerator<typeof page, undefined, undefined> {
  open++;
  try {
    for (; pagesRead < PAGES; pagesRead++) yield page;
  } finally {
    open--;
  }
}

/** As a thread's call: nobody waits for its end. */
function called(pages: AsyncGenerator<typeof page, undefined, undefined>) {
  return { next: () => pages.next(), return: () => void pages.return(undefined) };
}

const ends: unknown[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request, server) {
    server.timeout(request, SILENCE_S);
    return new Response(
      await exportStream(called(pages()), {
        head: "",
        watch: unwatched,
        onEnd: (error) => ends.push(error),
        silenceSMax: SILENCE_S,
      }),
    );
  },
});
afterAll(() => server.stop(true));

test("a reader that stalls holds the export back, and is ended with that reason; its snapshot is let go", async () => {
  const connection = await RawConnection.open(server.url.origin);
  connection.stopReading();
  await connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await eventually("the export has ended", () => ends.length > 0);
  expect(ends.map(String)).toEqual(["Error: its reader took nothing for 1 s"]);
  expect(open).toBe(0);
  expect(pagesRead).toBeLessThan(PAGES / 2);
  connection.close();
});

test("an export that is cut ends for its reader at once, though no page is asked for, and its pages are let go", async () => {
  const found: unknown[] = [];
  let cut = (_: string) => {};
  let watches = 0;
  const stream = await exportStream(called(pages()), {
    head: "",
    watch(onCut) {
      cut = onCut;
      watches++;
      return () => void watches--;
    },
    onEnd: (error) => found.push(error),
  });
  const reader = stream.getReader();
  await reader.read();
  expect(open).toBe(1);
  cut("it takes too long");
  cut("it takes too long");
  await expect(reader.read()).rejects.toThrow("it takes too long");
  await expect(reader.closed).rejects.toBeInstanceOf(ExportCut);
  expect(found.map(String)).toEqual(["Error: it takes too long"]);
  await eventually("the pages are let go", () => open === 0);
  expect(watches).toBeLessThanOrEqual(0);
});

test("an export that is cut before its first page is there is answered as unavailable", async () => {
  const found: unknown[] = [];
  const stream = exportStream(called(pages()), {
    head: "",
    watch(cut) {
      queueMicrotask(() => cut("it takes too long"));
      return () => {};
    },
    onEnd: (error) => found.push(error),
  });
  await expect(stream).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("takes too long"),
  });
  expect(found.map(String)).toEqual(["Error: it takes too long"]);
  await eventually("the pages are let go", () => open === 0);
});

test("a page that cannot be read ends the export with its reason, and an early one is thrown before any answer", async () => {
  const found: unknown[] = [];
  const failing = async function* (good: number): AsyncGenerator<typeof page, undefined, undefined> {
    for (let i = 0; i < good; i++) yield page;
    throw new Error("disk");
  };
  const options = { head: "", watch: unwatched, onEnd: (error?: unknown) => found.push(error) };
  const stream = await exportStream(called(failing(2)), options);
  await expect(new Response(stream).text()).rejects.toThrow("disk");
  await eventually("the export has ended", () => found.length > 0);
  expect(String(found[0])).toBe("Error: disk");
  await expect(exportStream(called(failing(0)), options)).rejects.toThrow("disk");
});
