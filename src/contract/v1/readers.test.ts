import { describe, expect, test } from "bun:test";
import { BulkReport } from "#core/bulk-report.ts";
import { Failure } from "#core/failure.ts";
import { INT64_MAX } from "#core/int64.ts";
import { refusal } from "#test/support/refusal.ts";
import { encodeCursor } from "../cursor.ts";
import { decodeEventCursor, encodeEventCursor, readEventCursor } from "../event-cursor.ts";
import { readObject } from "../json-object.ts";
import { bulkBody, readErrorsMax } from "./bulk-body.ts";
import { BulkRecords } from "./bulk-records.ts";
import { nextPageQuery, readPlantQuery } from "./plant-query.ts";

describe("the query of a list", () => {
  test("asks for 100 plants by id unless it says otherwise", () => {
    expect(readPlantQuery("")).toEqual({ order: "id", limit: 100, tag: undefined, q: undefined, after: undefined });
  });

  test.each([
    ["limit=1", { limit: 1 }],
    ["limit=1000", { limit: 1000 }],
    ["tag=", { tag: "" }],
    ["tag=a%20b%2Bc+d", { tag: "a b+c d" }],
    ["q=%F0%9F%8C%B1", { q: "🌱" }],
    ["order=id", { order: "id" }],
    ["colour=green", { limit: 100 }],
    ["order=-created_at", { order: "-created_at" }],
    [`cursor=${encodeCursor("id", 7n)}`, { after: 7n }],
    [`order=-created_at&cursor=${encodeCursor("-created_at", 7n)}`, { after: 7n, order: "-created_at" }],
  ])("%s is read", (query, expected) => {
    expect(readPlantQuery(query)).toMatchObject(expected);
  });

  test.each([
    "limit=0",
    "limit=1001",
    "limit=",
    "limit=+1",
    "limit=1.0",
    "limit=01",
    "limit=1&limit=2",
    "order=name",
    "order=",
    "order=created_at",
    "cursor=",
    "cursor=x",
    "tag=%00",
    "q=%FF",
    `cursor=${encodeCursor("-created_at", 7n)}`,
  ])("%s is refused as a malformed address", (query) => {
    expect(refusal(() => readPlantQuery(query))[0]).toBe("address-malformed");
  });

  test("of the next page keeps the filters and the order, and replaces the cursor", () => {
    const next = nextPageQuery("q=a%26b&limit=5&cursor=old&order=-created_at", "new");
    expect(Object.fromEntries(new URLSearchParams(next))).toEqual({
      q: "a&b",
      limit: "5",
      cursor: "new",
      order: "-created_at",
    });
  });
});

describe("a cursor of the feed", () => {
  test.each([0n, 1n, 2n ** 53n + 1n, INT64_MAX])("of %p is read as it was made", (number) => {
    const cursor = encodeEventCursor(number);
    expect(decodeEventCursor(cursor)).toBe(number);
    expect(cursor).toMatch(/^[\w-]+$/);
  });

  test("may be the word latest", () => {
    expect(readEventCursor("latest")).toBe("latest");
  });

  test.each([
    "",
    "7",
    "LATEST",
    encodeEventCursor(7n).slice(1),
    `${encodeEventCursor(7n)}=`,
    Buffer.from("events 7 0").toString("base64url"),
    Buffer.from("events -1 x").toString("base64url"),
    encodeCursor("id", 7n),
  ])("%j was not made by the service", (cursor) => {
    expect(refusal(() => readEventCursor(cursor))[0]).toBe("address-malformed");
  });

  test("with one character altered is refused", () => {
    const cursor = encodeEventCursor(123_456n);
    for (let index = 0; index < cursor.length; index++) {
      const altered = cursor.slice(0, index) + (cursor[index] === "A" ? "B" : "A") + cursor.slice(index + 1);
      expect(refusal(() => decodeEventCursor(altered))[0]).toBe("address-malformed");
    }
  });
});

describe("a JSON object", () => {
  test("is read with its members", () => {
    expect(readObject(' {"a":{"b":[1]}} ', "do it")).toEqual({ a: { b: [1] } });
  });

  test.each([
    ["[]", "an empty array"],
    ["null", "null"],
    ['"text"', '"text"'],
    ["7", "7"],
    ["true", "true"],
  ])("is not %s: the message says what was found", (text) => {
    const [code, message] = refusal(() => readObject(text, "create the plant"));
    expect(code).toBe("body-not-a-plant");
    expect(message).toStartWith("Cannot create the plant: the body must be a JSON object, and is ");
  });

  test.each(["", "{", "{'a':1}", '{"a":1}x', "NaN", '{"a":01}'])("is not %j, which is no JSON", (text) => {
    expect(refusal(() => readObject(text, "create the plant"))[0]).toBe("body-not-json");
  });
});

describe("the records of a bulk body", () => {
  type Read = (string | [line: number, id: bigint, name: string, tag: string | undefined])[];

  function read(type: ConstructorParameters<typeof BulkRecords>[0], text: string, chunkBytes = 1 << 20): Read {
    const records = new BulkRecords(type);
    const bytes = Buffer.from(text);
    const found: Read = [];
    const take = (all: Iterable<ReturnType<typeof records.end> extends Iterable<infer R> ? R : never>) => {
      for (const record of all) {
        if (!record || "text" in record) continue;
        if ("plant" in record) found.push([record.line, record.plant.id, record.plant.name, record.plant.tag]);
        else found.push(`${record.line} ${record.failure.code}`);
      }
    };
    for (let at = 0; at < bytes.length; at += chunkBytes) take(records.push(bytes.subarray(at, at + chunkBytes)));
    take(records.end());
    return found;
  }

  test.each([1, 2, 3, 7, 1000])("are the same however the bytes are cut, in chunks of %p", (chunkBytes) => {
    const ndjson = '{"id":1,"name":"Ä🌱"}\r\n\n{"id":9223372036854775807,"name":"","tag":""}';
    expect(read("application/x-ndjson", ndjson, chunkBytes)).toEqual([
      [1, 1n, "Ä🌱", undefined],
      [3, 9223372036854775807n, "", ""],
    ]);
    const csv = 'id,name,tag\r\n1,"Ä ""🌱"", a",\r\n2,"two\nlines",t\r\n';
    expect(read("text/csv", csv, chunkBytes)).toEqual(read("text/csv", csv));
  });

  test("in CSV may have line breaks and quotes in their names, and are counted by their first lines", () => {
    expect(read("text/csv", 'id,name\n1,"two\nlines"\n2,"say ""hi"""\n')).toMatchObject([
      [2, 1n, "two\nlines", undefined],
      [4, 2n, 'say "hi"', undefined],
    ]);
  });

  test("that are refused are told with their lines, and the others are read", () => {
    const lines = ['{"id":1,"name":"a"}', "x", '{"id":"1","name":"a"}', "[]", '{"id":2,"name":"b"}'];
    expect(read("application/x-ndjson", lines.join("\n"))).toEqual([
      [1, 1n, "a", undefined],
      "2 body-not-json",
      "3 member-invalid",
      "4 body-not-a-plant",
      [5, 2n, "b", undefined],
    ]);
  });

  test("of an empty body are none", () => {
    expect(read("application/x-ndjson", "")).toEqual([]);
    expect(read("application/x-ndjson", "\n\r\n\n")).toEqual([]);
  });
});

describe("the answer to a bulk create", () => {
  test("has the counts, and the first refusals with their numbers", () => {
    const report = new BulkReport(2);
    report.count(1, { id: 1n, name: "a", tag: undefined }, "created");
    report.count(2, { id: 2n, name: "a", tag: undefined }, "unchanged");
    report.count(5, { id: 5n, name: "a", tag: undefined }, "taken");
    report.refuse(3, new Failure("member-invalid", "no"));
    report.refuse(4, new Failure("body-not-json", "no JSON"));
    expect(JSON.parse(bulkBody(report))).toEqual({
      created: 1,
      unchanged: 1,
      failed: 3,
      errors: [
        { line: 3, error: 40003, message: "no" },
        { line: 4, error: 40001, message: "no JSON" },
      ],
    });
  });

  test("has as many refusals as were asked for", () => {
    expect(readErrorsMax("errors_max=0")).toBe(0);
    for (const query of ["errors_max=-1", "errors_max=x", "errors_max=1000001", "errors_max="]) {
      expect(refusal(() => readErrorsMax(query))[0]).toBe("address-malformed");
    }
  });
});
