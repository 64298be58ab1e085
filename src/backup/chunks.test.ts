import { describe, expect, test } from "bun:test";
import { chunksOf, Summed, streamOf } from "./chunks.ts";

describe("a file on its way", () => {
  async function* chunks(...texts: string[]) {
    for (const each of texts) yield new TextEncoder().encode(each);
  }

  async function textOf(all: AsyncIterable<Uint8Array>): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const chunk of all) parts.push(chunk);
    return Buffer.concat(parts).toString();
  }

  test("is counted and summed without being changed", async () => {
    const summed = new Summed();
    expect(await textOf(summed.through(chunks("ab", "", "c")))).toBe("abc");
    expect(summed.sum()).toEqual({
      bytes: 3,
      sha256: new Bun.CryptoHasher("sha256").update("abc").digest("hex"),
    });
  });

  test("is the same through a stream and back", async () => {
    expect(await textOf(chunksOf(streamOf(chunks("a", "b", "c"))))).toBe("abc");
  });

  test("is asked for only as it is read, and let go where its reader stops", async () => {
    let [asked, letGo] = [0, false];
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          asked++;
          controller.enqueue(Uint8Array.of(asked));
        },
        cancel() {
          letGo = true;
        },
      },
      { highWaterMark: 0 },
    );
    for await (const _ of chunksOf(source)) break;
    expect([asked, letGo]).toEqual([1, true]);
  });

  test("that breaks off is an error for its reader", async () => {
    async function* broken() {
      yield Uint8Array.of(1);
      throw new Error("disk gone");
    }
    await expect(textOf(chunksOf(streamOf(broken())))).rejects.toThrow("disk gone");
  });
});
