import { expect, test } from "bun:test";
import { bytesOf, fetchedAhead } from "./stream.ts";

const text = (bytes: readonly Uint8Array[]) => Buffer.concat(bytes).toString();

test("every kind of text is read as the same bytes", async () => {
  const bytes = new TextEncoder().encode("id,name\n1,Aloë\n");
  async function* chunks() {
    yield bytes.subarray(0, 5);
    yield bytes.subarray(5);
  }
  const kinds = ["id,name\n1,Aloë\n", bytes, new Blob([bytes]), chunks(), new Blob([bytes]).stream()];
  for (const kind of kinds) expect(text(await Array.fromAsync(bytesOf(kind)))).toBe("id,name\n1,Aloë\n");
});

test("the next item is fetched while one is worked on, and no more than that", async () => {
  let fetched = 0;
  async function* numbers() {
    for (;;) yield ++fetched;
  }
  const ahead = fetchedAhead(numbers());
  expect((await ahead.next()).value).toBe(1);
  await Bun.sleep(1);
  expect(fetched).toBe(2);
  await ahead.return(undefined);
  await Bun.sleep(1);
  expect(fetched).toBe(2);
});

test("a failure ahead is thrown when its turn comes, after the items before it", async () => {
  async function* failing() {
    yield 1;
    throw new Error("the disk is gone");
  }
  const ahead = fetchedAhead(failing());
  expect((await ahead.next()).value).toBe(1);
  await expect(ahead.next()).rejects.toThrow("the disk is gone");
});
