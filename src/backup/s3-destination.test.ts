import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { chunksOf, failingChunks } from "#test/support/backup-parts.ts";
import { S3Store } from "#test/support/s3-store.ts";
import type { Chunks, Destination } from "./destination.ts";
import { openDestination } from "./open-destination.ts";

const store = await S3Store.start();
beforeEach(() => {
  store.objects.clear();
  store.requests.length = 0;
  store.treat = () => "serve";
});
afterAll(() => store.close());

function settings(secretAccessKey = store.settings.S3_SECRET_ACCESS_KEY) {
  const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_ACCESS_KEY_ID: accessKeyId } = store.settings;
  return { endpoint, region, accessKeyId, secretAccessKey };
}
const open = (address = "s3://garden/backups", secret?: string) => openDestination(address, settings(secret));

const text = async (read: Chunks) => Buffer.concat(await Array.fromAsync(read)).toString();

describe("the address of a bucket", () => {
  test.each([
    ["s3://garden", "s3://garden", "a"],
    ["s3://garden/", "s3://garden", "a"],
    ["s3://garden/backups", "s3://garden/backups", "backups/a"],
    ["s3://garden//backups/plants//", "s3://garden/backups/plants", "backups/plants/a"],
    ["s3://garden/my plants/für später", "s3://garden/my plants/für später", "my plants/für später/a"],
    ["s3://garden/50%25 #1?x", "s3://garden/50%25 #1?x", "50%25 #1?x/a"],
  ])("%s is shown as %s, and its files have the keys of its prefix", async (address, shown, key) => {
    const destination = open(address);
    await destination.write("a", chunksOf("x"));
    expect([destination.address, destination.remote, [...store.objects.keys()]]).toEqual([shown, true, [key]]);
    expect(await destination.list()).toEqual(["a"]);
  });
});

test.each(["http://garden.localhost:PORT", "http://127.0.0.1:PORT/garden", "http://127.0.0.1:PORT/garden/"])(
  "the address of a store may be that of the bucket: %s",
  async (address) => {
    const endpoint = address.replace("PORT", new URL(store.settings.S3_ENDPOINT ?? "").port);
    const destination = openDestination("s3://garden/backups", { ...settings(), endpoint });
    await destination.write("a", chunksOf("x"));
    expect([...store.objects.keys()]).toEqual(["backups/a"]);
    expect(await destination.list()).toEqual(["a"]);
    expect(await text(await destination.read("a"))).toBe("x");
    await destination.remove("a");
    expect(store.objects.size).toBe(0);
  },
);

describe("a file of a bucket", () => {
  test("is read as it was written, replaces the one before, and is gone once it was removed", async () => {
    const destination = open();
    await destination.write("a", chunksOf("first"));
    await destination.write("a", chunksOf("sec", "ond"));
    expect(await text(await destination.read("a"))).toBe("second");
    await destination.remove("a");
    expect(await destination.list()).toEqual([]);
    await destination.remove("a");
  });

  test("is listed over all pages, in order, without those of other prefixes and of folders below", async () => {
    for (const name of ["e", "b", "d", "a", "c"]) store.objects.set(`backups/${name}`, Buffer.from(name));
    for (const other of ["backups/below/f", "backups-of-others/g", "h"]) store.objects.set(other, Buffer.from("x"));
    expect(await open().list()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("that is not there fails when it is asked for, and not in the middle of a restore", async () => {
    await expect(open().read("missing")).rejects.toThrow("Cannot read missing from s3://garden/backups: ");
  });
});

describe("a store that does not answer", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test.each<[string, number, (of: Destination) => Promise<unknown>]>([
    ["a list", 30, (of) => of.list()],
    ["a small file", 120, (of) => of.write("a", chunksOf("x"))],
    ["a part of a large one", 120, (of) => of.write("a", chunksOf(...Array(34).fill("x".repeat(1024 * 1024))))],
    ["the content of a file", 30, async (of) => text(await of.read("there"))],
    ["a removal", 30, (of) => of.remove("there")],
  ])("is given up in time: %s", async (_, seconds, act) => {
    store.objects.set("backups/there", Buffer.from("content"));
    const held = Promise.withResolvers<void>();
    store.treat = ({ method, query }) => {
      if (method === "HEAD" || query.has("uploads")) return "serve";
      held.resolve();
      return "hold";
    };
    const of = open();
    const problem = act(of).catch(String);
    await held.promise;
    jest.advanceTimersByTime(seconds * 1000);
    const silent = `s3://garden/backups: the store has not answered for ${seconds} s`;
    expect(await problem).toEndWith(silent);
    expect(await of.remove("another").catch(String)).toEndWith(silent);
    expect(store.requests.filter(({ key }) => key === "backups/another")).toEqual([]);
  });

  test("in the middle of a file is given up, and one that is slow is not", async () => {
    store.treat = ({ key }) => (key === "backups/slow" ? "trickle" : "stall");
    const content = "in steps of ten seconds";
    for (const name of ["slow", "stalled"]) store.objects.set(`backups/${name}`, Buffer.from(content));
    const of = open();
    let read = "";
    for await (const part of await of.read("slow")) {
      read += Buffer.from(part).toString();
      jest.advanceTimersByTime(10_000);
    }
    expect(read).toBe(content);
    const parts = (await of.read("stalled")) as AsyncGenerator<Uint8Array>;
    await parts.next();
    const problem = parts.next().catch(String);
    jest.advanceTimersByTime(30_000);
    expect(await problem).toEndWith("the store has not answered for 30 s");
  });
});

describe("a failure of the store", () => {
  test("names what was tried and the bucket, and never a key", async () => {
    const secret = "another secret";
    const destination = open("s3://garden/backups", secret);
    const acts = [
      destination.list(),
      destination.write("a", chunksOf("x")),
      destination.read("a"),
      destination.remove("a"),
    ];
    for (const act of await Promise.allSettled(acts)) {
      const problem = act.status === "rejected" ? act.reason.message : "";
      expect(problem).toMatch(/^Cannot .* s3:\/\/garden\/backups: ./);
      expect(problem).not.toContain(secret);
    }
    expect(store.objects.size).toBe(0);
  });

  test("on the way of a write rejects, so that no manifest follows", async () => {
    await expect(open().write("a", failingChunks())).rejects.toThrow("the source failed");
    expect(store.objects.size).toBe(0);
  });

  test("that keeps only a part of the file is noticed", async () => {
    store.treat = ({ method, key }) => {
      if (method === "HEAD") store.objects.set(key, Buffer.from("par"));
      return "serve";
    };
    await expect(open().write("a", chunksOf("part"))).rejects.toThrow(
      "Cannot write a to s3://garden/backups: 3 of 4 bytes are there",
    );
  });
});
