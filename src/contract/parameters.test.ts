import { expect, test } from "bun:test";
import fc from "fast-check";
import { refusal } from "#test/support/refusal.ts";
import { encodeCursor } from "./cursor.ts";
import { readParameters } from "./parameters.ts";
import { nextPageQuery, readPlantQuery } from "./v1/plant-query.ts";

const TEXT = fc
  .string({ unit: "grapheme", maxLength: 30 })
  .filter((text) => !text.includes("\0") && text.isWellFormed());

test("any text comes through percent-encoding and form-encoding exactly", () => {
  fc.assert(
    fc.property(TEXT, TEXT, (tag, q) => {
      const form = new URLSearchParams({ tag, q }).toString();
      expect(readParameters(form, ["tag", "q"])).toEqual({ tag, q });
      const plain = `tag=${encodeURIComponent(tag)}&q=${encodeURIComponent(q)}`;
      expect(readParameters(plain, ["tag", "q"])).toEqual({ tag, q });
    }),
  );
});

test("a list is by id, 100 plants, of any tag and name, unless it is asked for otherwise", () => {
  const plain = { order: "id", limit: 100, tag: undefined, q: undefined, after: undefined };
  expect(readPlantQuery("")).toMatchObject({ ...plain, order: "id" });
  expect(readPlantQuery("&&")).toMatchObject({ ...plain, order: "id" });
  const cursor = encodeCursor("-created_at", 7n);
  const asked = readPlantQuery(`tag=&q=a+b%2B&order=-created_at&limit=1000&cursor=${cursor}`);
  expect(asked).toMatchObject({ order: "-created_at", limit: 1000, tag: "", q: "a b+", after: 7n });
});

test.each([
  ["limit", ["=0", "=1001", "=", "", "=1e2", "=05", "=+5", "=-1", "=1.0", "=1&limit=1"]],
  ["cursor", ["=", "=abc", "=a&cursor=a", `=${encodeCursor("-created_at", 7n)}`]],
  ["order", ["=", "=name", "=created_at", "=id&order=id"]],
  ["tag", ["=%", "=%zz", "=%ff", "=%ed%a0%80", "=%00", "=a&tag=b"]],
  ["q", ["=%c0%80", "=a&q=a"]],
])("%s that is malformed is refused, and the message names it", (name, values) => {
  for (const value of values) {
    const [code, message] = refusal(() => readPlantQuery(name + value));
    expect([value, code]).toEqual([value, "address-malformed"]);
    expect(message).toContain(`"${name}"`);
  }
});

test.each(["limits=0", "Limit=1", "%ff=1", "=1", "=", "limit=1&x", "li%6Dit=1&li%6Ditt=1"])(
  "an unknown parameter is refused, as in %j",
  (query) => {
    expect(refusal(() => readPlantQuery(query))).toEqual([
      "address-malformed",
      expect.stringContaining("this address takes limit, cursor, tag, q, order, ids"),
    ]);
  },
);

test("the next page is asked for with what was known of the first, and the new cursor", () => {
  expect(nextPageQuery(readPlantQuery(`limit=2&tag=a%26b+c&cursor=${encodeCursor("id", 7n)}`), "new")).toBe(
    "limit=2&tag=a%26b+c&cursor=new",
  );
  expect(nextPageQuery(readPlantQuery(""), "new")).toBe("cursor=new");
});
