import { expect, test } from "bun:test";
import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import { Failure } from "#core/failure.ts";
import { contextOf } from "#test/support/request-context.ts";
import { readText as readTextOf } from "./body.ts";

function request(body: BodyInit | undefined, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/v1/plants", { method: "POST", body, headers });
}

/** A body without a Content-Length, in chunks of that size. */
function chunked(bytes: Uint8Array, size: number): Request {
  let offset = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (offset >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(offset, offset + size));
      offset += size;
    },
  });
  return request(stream);
}

function readText(arrived: Request): Promise<string> {
  return readTextOf(contextOf(arrived), 1);
}

async function refusal(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof Failure) return error.code;
  throw error ?? new Error("it was not refused");
}

test("a body of exactly 1 MiB is read, one byte more is refused, with its length and in chunks", async () => {
  for (const size of [BODY_SIZE_BYTES_MAX, BODY_SIZE_BYTES_MAX + 1]) {
    const bytes = new Uint8Array(size).fill(0x20);
    const bodies = [request(bytes, { "Content-Length": String(size) }), chunked(bytes, 60_000)];
    for (const body of bodies) {
      if (size > BODY_SIZE_BYTES_MAX) expect(await refusal(readText(body))).toBe("body-too-large");
      else expect(await readText(body)).toHaveLength(size);
    }
  }
});

test("characters come through exactly, wherever the chunks cut them", async () => {
  const text = '{"name":"Café 🌵 \u2028 \u{10ffff}"}';
  for (const size of [1, 2, 3, 7]) expect(await readText(chunked(Buffer.from(text), size))).toBe(text);
});

test("bytes that are not UTF-8 are refused, and a byte-order mark is kept for the parser to refuse", async () => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc0, 0x80]])
    expect(await refusal(readText(chunked(Uint8Array.from(bytes), 1)))).toBe("body-not-json");
  expect(await readText(chunked(Buffer.from("\ufeff{}"), 5))).toBe("\ufeff{}");
});
