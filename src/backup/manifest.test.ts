import { describe, expect, test } from "bun:test";
import { chunksOf, Summed, streamOf } from "./chunks.ts";
import {
  backupName,
  contentFile,
  DamagedBackup,
  type ManifestContent,
  manifestFile,
  nameOfManifest,
  nameWithoutExtension,
  readManifest,
  writeManifest,
} from "./manifest.ts";
import { parseRetention, parseSpan } from "./retention.ts";

const AT = new Date("2026-11-21T16:12:29.345Z");
const NAME = backupName(AT, 71);
const CONTENT: ManifestContent = {
  version: "1.0.0",
  schema: "0014",
  at: AT.toISOString(),
  engine: "sqlite",
  plants: 71,
  accounts: 2,
  last_number: 71,
  bytes: 8192,
  sha256: { plain: "a".repeat(64), stored: "b".repeat(64) },
  compressed: 1024,
  recipients: ["age1abc"],
  verified_at: null,
};

describe("the name of a backup", () => {
  test("says when it was made and how far it goes, and sorts by time", () => {
    expect(NAME).toBe("plantstore-20261121T161229Z-1z");
    const later = backupName(new Date("2026-12-01T00:00:00Z"), 1);
    expect([later, NAME].sort()).toEqual([NAME, later]);
  });

  test("may be given as that of one of its files", () => {
    for (const file of [NAME, manifestFile(NAME), contentFile(NAME, []), contentFile(NAME, ["age1abc"])]) {
      expect(nameWithoutExtension(file)).toBe(NAME);
    }
  });

  test.each(["notes.json", `${NAME}.db.zst`, `${NAME}.json.unfinished`, `x${NAME}.json`, `../${NAME}.json`, ""])(
    "is not read from %j",
    (file) => {
      expect(nameOfManifest(file)).toBeUndefined();
      expect(nameOfManifest(manifestFile(NAME))).toBe(NAME);
    },
  );
});

describe("a manifest", () => {
  const text = writeManifest(CONTENT);

  test("is read as it was written, and may be written again", () => {
    const read = readManifest(NAME, text);
    expect(read).toMatchObject(CONTENT);
    expect(writeManifest(read)).toBe(text);
    const verified = writeManifest({ ...read, verified_at: AT.toISOString() });
    expect(readManifest(NAME, verified).verified_at).toBe(AT.toISOString());
  });

  test("in which one figure was altered is damaged, whichever it is", () => {
    for (const [member, value] of Object.entries(JSON.parse(text))) {
      const altered = typeof value === "number" ? value + 1 : typeof value === "string" ? `${value}0` : ["age1zzz"];
      const json = JSON.stringify({ ...JSON.parse(text), [member]: altered });
      expect(() => readManifest(NAME, json)).toThrow(DamagedBackup);
    }
  });

  test.each(["", "{}", "null", "[]", text.slice(0, -10), text.replace("{", '{"x":1,')])("is not %j", (damaged) => {
    expect(() => readManifest(NAME, damaged)).toThrow(`${NAME}.json is damaged`);
  });

  test("is that of its own name: one that was renamed is damaged", () => {
    expect(() => readManifest(backupName(AT, 72), text)).toThrow(DamagedBackup);
  });
});

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

describe("how long backups are kept", () => {
  test.each([
    ["90s", 90_000],
    ["1h", 3_600_000],
    ["7d", 7 * 86_400_000],
    ["2w", 14 * 86_400_000],
    ["12m", 360 * 86_400_000],
    ["1y", 365 * 86_400_000],
  ])("%s is a time", (text, ms) => {
    expect(parseSpan(text)).toBe(ms);
  });

  test.each(["", "0h", "h", "1", "1.5h", "-1h", "1 h", "1H", "01h", "1000000h", "1hh"])("%j is none", (text) => {
    expect(parseSpan(text)).toBeUndefined();
  });

  test.each(["24h", "24h:", ":7d", "7d:24h", "24h:7d:1y", "24h:7d,", "24h/7d"])("%j is no rule", (text) => {
    expect(parseRetention(text)).toBeUndefined();
  });
});
