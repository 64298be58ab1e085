import { expect, test } from "bun:test";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import type { Chunks } from "./destination.ts";
import { store, unstore } from "./stored-form.ts";

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function collected(act: (write: (chunks: Chunks) => Promise<void>) => Promise<unknown>) {
  const received: Uint8Array[] = [];
  const result = await act(async (chunks) => {
    for await (const chunk of chunks) received.push(new Uint8Array(chunk));
  });
  return { bytes: new Uint8Array(Buffer.concat(received)), result };
}

const storing = (plain: Uint8Array, recipients: string[], size = 1024) =>
  collected((write) => store(inChunks(plain, size), recipients, write));
const unstoring = (stored: Uint8Array, identities: string[], bytesMax: number) =>
  collected((write) => unstore(inChunks(stored, 1000), identities, bytesMax, write));

test.each([
  ["plain", [], []],
  ["encrypted", [recipient], [identity]],
])("any content that is stored %s comes back byte for byte, with the same sums both ways", async (_kind, to, by) => {
  const content = fc.uint8Array({ maxLength: 5000 });
  await fc.assert(
    fc.asyncProperty(content, fc.integer({ min: 1, max: 3000 }), async (plain, size) => {
      const stored = await storing(plain, to, size);
      const back = await unstoring(stored.bytes, by, plain.length);
      expect(back.bytes).toEqual(new Uint8Array(plain));
      expect(back.result).toEqual(stored.result);
      expect(stored.result).toMatchObject({ plain: { bytes: plain.length }, stored: { bytes: stored.bytes.length } });
    }),
    { numRuns: 30 },
  );
});

test("what unpacks to more than was named is written no further than that", async () => {
  const bytesMax = 1024 ** 2;
  let written = 0;
  const unpacking = unstore(
    inChunks(Bun.zstdCompressSync(Buffer.alloc(256 * bytesMax)), 1000),
    [],
    bytesMax,
    async (all) => {
      for await (const { length } of all) written += length;
    },
  );
  await expect(unpacking).rejects.toThrow("more than the 1048576 bytes that its manifest names");
  expect(written).toBeLessThanOrEqual(bytesMax);
});

test("an encrypted backup shows nothing of its content", async () => {
  const { bytes } = await storing(new TextEncoder().encode("Monstera deliciosa".repeat(100)), [recipient]);
  expect(Buffer.from(bytes).includes("Monstera")).toBe(false);
  await expect(unstoring(bytes, [], 1e6)).rejects.toThrow();
});
