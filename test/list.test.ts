import { afterAll, describe, expect, test } from "bun:test";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { expectRefused } from "./support/refused.ts";
import { startService } from "./support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const token = await service.token();
for (const plant of HARD_PLANTS) await service.send("POST", "/v1/plants", { as: token, body: plantJson(plant) });

const list = (query = "", headers: Record<string, string> = {}, path = "/v1/plants") =>
  service.send("GET", path + query, { as: token, headers });

/** Ids by their own digits, and the cursor. */
async function page(answer: Response): Promise<{ ids: string[]; next: string | null }> {
  const text = await answer.text();
  expect(answer.status).toBe(200);
  return {
    ids: [...text.matchAll(/\{"id":(-?\d+),"name":/g)].map(([, id = ""]) => id),
    next: (JSON.parse(text) as { next_cursor: string | null }).next_cursor,
  };
}

const byId = HARD_PLANTS.map(({ id }) => id).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
const newestFirst = HARD_PLANTS.map(({ id }) => id).reverse();

describe("a list", () => {
  test("holds every plant exactly as a read gives it", async () => {
    for (const query of ["?order=id", "?limit=1000"]) {
      const text = await (await list(query)).text();
      for (const { id } of HARD_PLANTS) expect(text).toContain(await (await list(`/${id}`)).text());
      expect(text).toEndWith('],"next_cursor":null}');
    }
    // Each alone, so that those with other ids cannot change how it is written.
    for (let query = "?limit=1"; query !== ""; ) {
      const text = await (await list(query)).text();
      const [, body = "", id = ""] = /^\{"data":\[(\{"id":(-?\d+),.*\})\],"next_cursor":/s.exec(text) ?? [];
      expect(body).toBe(await (await list(`/${id}`)).text());
      const { next_cursor: next } = JSON.parse(text);
      query = next === null ? "" : `?limit=1&cursor=${next}`;
    }
  });

  test("of a first page is answered to each of 300 requests of a token at once", async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => list("?limit=20")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  for (const [order, expected] of [
    ["", byId],
    ["&order=id", byId],
    ["&order=-created_at", newestFirst],
  ] as const) {
    test(`with ${order || "no order"} comes in pages that miss none and repeat none, each leading to the next`, async () => {
      for (const limit of [1, 2, 7, 1000]) {
        let answer = await list(`?limit=${limit}${order}`);
        let { ids, next } = await page(answer);
        const all = [...ids];
        while (next !== null) {
          const link = /^<(.+)>; rel="next"$/.exec(answer.headers.get("Link") ?? "")?.[1] ?? "";
          expect(link).toStartWith(`${service.url}/v1/plants?`);
          expect(new URL(link).searchParams.get("cursor")).toBe(next);
          answer = await list(new URL(link).search);
          ({ ids, next } = await page(answer));
          all.push(...ids);
          expect(ids.length).toBeLessThanOrEqual(limit);
        }
        expect(answer.headers.get("Link")).toBeNull();
        expect(all).toEqual([...expected]);
      }
    });
  }

  test("is filtered by a tag exactly, the empty one too, and by a part of the name in either case", async () => {
    for (const { tag } of HARD_PLANTS) {
      if (tag === undefined || tag.length > 100) continue;
      const { ids } = await page(await list(`?tag=${encodeURIComponent(tag)}`));
      expect(new Set(ids)).toEqual(new Set(HARD_PLANTS.filter((plant) => plant.tag === tag).map(({ id }) => id)));
    }
    expect((await page(await list("?q=thumb%22+LETT"))).ids).toEqual(["3"]);
    expect((await page(await list("?q=&limit=2"))).ids).toEqual(byId.slice(0, 2));
    expect((await page(await list(`?q=${encodeURIComponent("%_*?'")}`))).ids).toEqual(["20"]);
  });

  test("keeps to what it was asked for on the next page, at the address that it was asked at", async () => {
    const answer = await list("?limit=1&tag=&order=-created_at", {}, "/plants");
    const { next } = await page(answer);
    if (next !== null) {
      const link = `<${service.url}/plants?limit=1&tag=&order=-created_at&cursor=${encodeURIComponent(next)}>; rel="next"`;
      expect(answer.headers.get("Link")).toBe(link);
    }
    const untagged = await list("?limit=2", {}, "/1.0/plants");
    expect(untagged.headers.get("Link")).toStartWith(`<${service.url}/1.0/plants?limit=2&cursor=`);
  });

  test("is another one for another account", async () => {
    const stranger = { Authorization: `Bearer ${await service.token()}` };
    expect(await page(await list("", stranger))).toEqual({ ids: [], next: null });
    const { next } = await page(await list("?limit=1"));
    expect((await page(await list(`?cursor=${next}`, stranger))).ids).toEqual([]);
  });
});

describe("a list of ids", () => {
  const of = (ids: readonly string[], more = "") => list(`?ids=${ids.join(",")}${more}`);

  test("has the plants of those that there are, in their order and each once, and no next page", async () => {
    const asked = [...newestFirst, "-777", ...byId];
    const answer = await of(asked);
    expect([answer.headers.get("Link"), answer.headers.get("Events-Cursor")]).toEqual([null, expect.any(String)]);
    expect(await page(answer)).toEqual({ ids: newestFirst, next: null });
    expect(await page(await of(["-777"]))).toEqual({ ids: [], next: null });
    const tagged = HARD_PLANTS.filter(({ tag }) => tag === "").map(({ id }) => id);
    expect((await page(await of(byId, "&tag="))).ids.toSorted()).toEqual(tagged.toSorted());
    expect((await page(await of(Array.from({ length: 100 }, (_, at) => `${at + 1000}`)))).ids).toEqual([]);
  });

  test("is another one for another account", async () => {
    const stranger = { Authorization: `Bearer ${await service.token()}` };
    expect(await page(await list(`?ids=${byId.join(",")}`, stranger))).toEqual({ ids: [], next: null });
  });

  test.each([
    "",
    ",",
    "1,",
    "1,,2",
    "1, 2",
    "01",
    "1.0",
    "x",
    "9223372036854775808",
    "1&ids=2",
    "1&limit=1",
    "1&order=id",
    "1&q=",
    "1&cursor=x",
    Array.from({ length: 101 }, () => "1").join(","),
  ])("is refused if its ids are %j", async (ids) => {
    await expectRefused(await list(`?ids=${ids}`), 40004);
  });

  test("has no more text than a page", async () => {
    const as = await service.token();
    const name = "x".repeat(1024 * 1024 - 100);
    for (const id of [1, 2, 3, 4, 5])
      await service.send("POST", "/v1/plants", { as, body: JSON.stringify({ id, name }) });
    const long = (ids: string) => list(`?ids=${ids}`, { Authorization: `Bearer ${as}` });
    expect((await page(await long("4,1,2"))).ids).toEqual(["4", "1", "2"]);
    await expectRefused(await long("1,2,3,4,5"), 40004, "These plants have more than 4 MiB of text together");
  });
});

describe("a malformed query", () => {
  for (const query of [
    "limit=0",
    "limit=1001",
    "limit=",
    "limit=1&limit=1",
    "cursor=",
    "cursor=x",
    "order=x",
    "tag=%zz",
  ]) {
    test(`?${query} is 40004, whatever would be acceptable`, async () => {
      await expectRefused(await list(`?${query}`), 40004);
      await expectRefused(await list(`?${query}`, { Accept: "text/plain" }), 40004);
    });
  }

  test("with a cursor of the other order is 40004", async () => {
    const { next } = await page(await list("?limit=1&order=-created_at"));
    await expectRefused(await list(`?cursor=${next}`), 40004);
  });
});

test.each(["limit=1", "cursor=x", "tag=", "q=rose", "q=", "order=id", "ids=1"])(
  "an export that is asked for with ?%s is refused, instead of holding every plant",
  async (query) => {
    for (const Accept of ["text/csv", "application/x-ndjson"]) {
      await expectRefused(await list(`?${query}`, { Accept }), 40004);
      await expectRefused(await list(`?${query}`, { Accept }, "/v1/plants/export"), 40004);
    }
    expect((await list(`?${query.replace("cursor=x", "")}`, { Accept: "text/*;q=0.1, */*" })).status).toBe(200);
  },
);

test("Accept chooses between the page and the exports, and 406 names them", async () => {
  const types = async (accept: string) => (await list("", { Accept: accept })).headers.get("Content-Type");
  expect(await types("*/*")).toBe("application/json");
  expect(await types("text/csv;q=0.9, application/json;q=0.1")).toBe("text/csv; charset=utf-8; header=present");
  expect(await types("application/x-ndjson")).toBe("application/x-ndjson");
  const refused = await list("", { Accept: "text/html" });
  expect(refused.headers.get("Vary")).toContain("Accept");
  await expectRefused(refused, 40601);
  expect((await list("")).headers.get("Vary")).toBe("Accept");
});
