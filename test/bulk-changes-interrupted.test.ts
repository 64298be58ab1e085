import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { ENGINES } from "./support/engines.ts";
import { Mirror, type MirroredEvent } from "./support/mirror.ts";
import { PROCESSES_SHOW, residentBytes } from "./support/process.ts";
import { startService, type TestService } from "./support/service.ts";
import { startUpload } from "./support/upload.ts";

const MIB = 1024 * 1024;
/** By hand with 1024. */
const ENDLESS_MIB = Number(process.env.ENDLESS_MIB ?? 256);
const UPDATE = "/v1/plants/import?existing=update";
const REMOVE = "/v1/plants/remove";

function send({ url }: TestService, as: string, path: string, body: BodyInit): Promise<Response> {
  const headers = { Authorization: `Bearer ${as}`, "Content-Type": "application/x-ndjson" };
  return fetch(url + path, { method: "POST", headers, body });
}

/** A second, and a busy machine's time to answer. */
const ENDED_MS_MAX = 2000;

const lines = (count: number, line: (id: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join("\n");

/** All plants of the store: their tags by their ids. */
async function tags(service: TestService, as: string): Promise<Map<number, string | undefined>> {
  const answer = await service.send("GET", "/v1/plants/export", { as });
  const plants = (await answer.text()).trim().split("\n").filter(Boolean);
  return new Map(plants.map((line) => JSON.parse(line)).map(({ id, tag }) => [id, tag]));
}

async function mirrored(service: TestService, as: string): Promise<Mirror> {
  const mirror = new Mirror();
  for (let cursor = ""; ; ) {
    const answer = await service.send("GET", `/v1/events?limit=1000${cursor}`, { as });
    const { data, next_cursor } = (await answer.json()) as { data: MirroredEvent[]; next_cursor: string };
    for (const event of data) mirror.follow(event);
    if (data.length === 0) return mirror;
    cursor = `&cursor=${next_cursor}`;
  }
}

describe.each(ENGINES)("on %s,", async (engine) => {
  const service = await startService({ engine, settings: { RATE_LIMIT: "1000000" } });
  afterAll(() => service.stop());
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  test("a removal of many ids, of which half are missing and some come twice, counts each", async () => {
    const as = await service.token();
    await send(
      service,
      as,
      "/v1/plants/import",
      lines(3000, (id) => `{"id":${2 * id},"name":"Fern"}`),
    );
    const body = `${lines(6000, String)}\n${lines(1000, (id) => `"${2 * id}"`)}`;
    const counts = { removed: 3000, missing: 4000, failed: 0, errors: [] };
    expect(await (await send(service, as, `${REMOVE}?dry_run=true`, body)).json()).toEqual(counts);
    expect(await (await send(service, as, REMOVE, body)).json()).toEqual(counts);
    expect((await tags(service, as)).size).toBe(0);
  });

  test("two imports and a removal over the same plants at once do each change once, and single changes hold their condition", async () => {
    const as = await service.token();
    const count = 1500;
    await send(
      service,
      as,
      "/v1/plants/import",
      lines(count, (id) => `{"id":${id},"name":"n"}`),
    );
    const update = (name: string) =>
      send(
        service,
        as,
        UPDATE,
        lines(count, (id) => `{"id":${id},"name":"${name}","tag":"${name}"}`),
      );
    const single = async (id: number) => {
      const etag = (await service.send("GET", `/v1/plants/${id}`, { as })).headers.get("ETag") ?? "";
      await Bun.sleep(id % 50);
      const headers = { "If-Match": etag };
      return (await service.send("PATCH", `/v1/plants/${id}`, { as, headers, body: { name: `single ${id}` } })).status;
    };
    const singles = Promise.all(Array.from({ length: 40 }, (_, at) => single(37 * at + 1)));
    const removal = send(
      service,
      as,
      REMOVE,
      lines(count / 3, (id) => String(3 * id)),
    );
    const answers = await Promise.all([update("a"), update("b"), removal].map(async (each) => (await each).json()));
    for (const status of await singles) expect([200, 412]).toContain(status);
    for (const answer of answers) expect(answer.failed).toBe(0);
    expect(answers[2]).toMatchObject({ removed: count / 3, missing: 0 });
    const mirror = await mirrored(service, as);
    expect(mirror.problems).toEqual([]);
    const kept = await tags(service, as);
    expect(mirror.names.size).toBe(kept.size);
    for (const [id, tag] of kept) {
      expect(["a", "b"]).toContain(tag ?? "");
      expect([tag, `single ${id}`]).toContain(mirror.names.get(String(id)) ?? "");
    }
  });

  test("each ends within a second of its token, and says up to which line everything is on disk", async () => {
    const named = (id: number) => `{"id":${id},"name":"Moss"}\n`;
    const digits = (id: number) => `${id}\n`;
    const onDisk =
      /^The bulk (create|removal) stopped, since its token was revoked.*: everything up to line \d+ is on disk/;
    const nothing = /^The dry run stopped, since its token was revoked.*: it has written nothing/;
    async function untilItEnds(path: string, line: (id: number) => string, said: RegExp): Promise<void> {
      const as = await service.token({ expires: "4s" });
      const endsAt = performance.now() + 4000;
      const sending = new AbortController();
      ends.push(() => sending.abort());
      async function* steadily() {
        for (let id = 1; !sending.signal.aborted; await Bun.sleep(20)) yield Buffer.from(line(id++));
      }
      const answer = await send(service, as, path, steadily() as unknown as BodyInit);
      expect(performance.now() - endsAt).toBeLessThan(ENDED_MS_MAX);
      const { error, message } = (await answer.json()) as { error: number; message: string };
      expect([answer.status, error]).toEqual([401, 40102]);
      expect(message).toMatch(said);
    }
    await Promise.all([
      untilItEnds(UPDATE, named, onDisk),
      untilItEnds(REMOVE, digits, onDisk),
      untilItEnds(`${UPDATE}&dry_run=true`, named, nothing),
      untilItEnds(`${REMOVE}?dry_run=true`, digits, nothing),
    ]);
  });

  test("what was answered before a kill is there after it, of a PUT, an import that updates and a removal", async () => {
    let killed = await startService({ engine });
    ends.push(() => killed.stop());
    const as = await killed.token();
    await send(
      killed,
      as,
      "/v1/plants/import",
      lines(30_000, (id) => `{"id":${id},"name":"Fern","tag":"old"}`),
    );
    const answered = { put: 0, updated: 10_000, removed: 20_000 };
    const acting = Promise.allSettled([
      repeated(async (at) => {
        const sent = { as, body: { name: "Put" } };
        if ((await killed.send("PUT", `/v1/plants/${at}`, sent)).ok) answered.put = at;
      }),
      repeated(async (at) => {
        const body = Array.from(
          { length: 50 },
          (_, i) => `{"id":${10_000 + 50 * (at - 1) + i + 1},"name":"New","tag":"new"}`,
        );
        if ((await send(killed, as, UPDATE, body.join("\n"))).ok) answered.updated = 10_000 + 50 * at;
      }),
      repeated(async (at) => {
        const body = Array.from({ length: 50 }, (_, i) => 20_000 + 50 * (at - 1) + i + 1);
        if ((await send(killed, as, REMOVE, body.join("\n"))).ok) answered.removed = 20_000 + 50 * at;
      }),
      // A long one of each is under way too.
      send(
        killed,
        as,
        UPDATE,
        lines(30_000, (id) => `{"id":${100_000 + id},"name":"x"}`),
      ),
    ]);
    await Bun.sleep(1000);
    await killed.kill();
    await acting;
    killed = await killed.restart();
    const kept = await tags(killed, as);
    for (let id = 1; id <= answered.put; id++) expect([id, kept.get(id)]).toEqual([id, undefined]);
    for (let id = 10_001; id <= answered.updated; id++) expect([id, kept.get(id)]).toEqual([id, "new"]);
    for (let id = 20_001; id <= answered.removed; id++) expect([id, kept.has(id)]).toEqual([id, false]);
    expect([answered.put > 0, answered.updated > 10_000, answered.removed > 20_000]).toEqual([true, true, true]);
    const mirror = await mirrored(killed, as);
    expect(mirror.problems).toEqual([]);
  }, 60_000);

  test("a record without end is refused after 64 MiB, and takes no memory", async () => {
    const as = await service.token();
    const before = residentBytes(service.process.pid);
    const watching = setInterval(() => most.push(residentBytes(service.process.pid)), 50);
    const most = [before];
    const part = Buffer.alloc(MIB, "1");
    try {
      for (const path of [REMOVE, `${UPDATE}&dry_run=true`]) {
        let sent = 0;
        async function* endless() {
          for (; sent < ENDLESS_MIB; sent++) yield part;
        }
        const answer = await send(service, as, path, endless() as unknown as BodyInit);
        expect(await answer.json()).toMatchObject({
          error: 41301,
          message: expect.stringContaining("no end after 64 MiB"),
        });
        expect(sent).toBeGreaterThanOrEqual(64);
      }
    } finally {
      clearInterval(watching);
    }
    if (PROCESSES_SHOW) expect(Math.max(...most) - before).toBeLessThan(150 * MIB);
    expect((await service.send("GET", "/v1/plants?limit=1", { as })).status).toBe(200);
  });

  test("dry runs whose senders stall hold their places until others need them", async () => {
    const path = `${UPDATE}&dry_run=true`;
    const evicted: string[] = [];
    // An account may have as many as are still free, so that each new one finds less room.
    for (let accounts = 0; evicted.length === 0 && accounts < 30; accounts++) {
      const as = await service.token();
      for (let count = 0; count < 8; count++) {
        const upload = startUpload(service, as, { path });
        upload.send(3);
        const told = async (answer: Response) => {
          const { error, message } = (await answer.json()) as { error: number; message: string };
          if (error === 40801) evicted.push(message);
        };
        upload.answer.then(told).catch(() => {});
      }
      const answer = await send(service, await service.token(), path, '{"id":1,"name":"Fern"}');
      expect(await answer.json()).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 0, errors: [] });
    }
    expect(evicted[0]).toMatch(/needed its place.*it has written nothing/);
  });
});

/** Until it fails. */
async function repeated(act: (at: number) => Promise<void>): Promise<void> {
  for (let at = 1; ; at++) await act(at);
}
