import { expect, test } from "bun:test";
import { refusal } from "#test/support/refusal.ts";
import { mediaType } from "./media-type.ts";

/** The type of a body with that header, or the code of its refusal. */
function typeOf(name: string, header: string | undefined): string {
  const request = new Request("http://a/", { method: "POST", headers: header === undefined ? [] : [[name, header]] });
  let type = "";
  const [code] = refusal(() => {
    type = mediaType(request, ["application/json", "text/csv"]);
  });
  return type || code;
}

test.each([
  [undefined, "application/json"],
  ["", "application/json"],
  ["application/json", "application/json"],
  ["Application/JSON", "application/json"],
  ["application/json;", "application/json"],
  ['application/json ; charset="UTF-8"', "application/json"],
  ["application/json; version=1; charset=Utf-8", "application/json"],
  ["text/csv; header=present", "text/csv"],
  ["application/json;charset=utf8", "application/json"],
  ["text/csv; charset = UTF8", "text/csv"],
  ['text/csv;charset=" utf-8 "', "text/csv"],
  ["application/json;charset=utf-88", "media-type-unsupported"],
  ["text/plain", "media-type-unsupported"],
  ["application/jsonp", "media-type-unsupported"],
  ["*/*", "media-type-unsupported"],
  ["application/json, application/json", "media-type-unsupported"],
  ["application/json;charset=utf-16", "media-type-unsupported"],
  ['application/json; version=1; charset="latin1"', "media-type-unsupported"],
])("Content-Type %p is read as %s", (header, expected) => {
  expect(typeOf("Content-Type", header)).toBe(expected);
});

test("a body with a content coding is refused whatever it holds", () => {
  for (const coding of ["", "identity", "Identity"])
    expect([coding, typeOf("Content-Encoding", coding)]).toEqual([coding, "application/json"]);
  for (const coding of ["gzip", "br", "x-gzip", "identity, gzip"])
    expect([coding, typeOf("Content-Encoding", coding)]).toEqual([coding, "media-type-unsupported"]);
});

test.each([
  [["application/json"], "application/json"],
  [["application/x-ndjson", "text/csv", "application/json"], "application/json"],
  [["application/x-ndjson", "text/csv"], "application/x-ndjson or text/csv"],
] as const)(
  "a form, which curl sends by default, is told how its sender says that it is one of %j",
  (accepted, right) => {
    const request = new Request("http://a/", { method: "POST", body: new URLSearchParams({ id: "1" }) });
    const [, message] = refusal(() => mediaType<string>(request, [...accepted]));
    expect(message).toEndWith(
      `\`curl -d\` sends application/x-www-form-urlencoded unless you add -H 'Content-Type: ${right}'`,
    );
  },
);
