import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { mediaType } from "./media-type.ts";

const ACCEPTED = ["application/json", "text/csv"] as const;

function ofHeader(header: string | undefined): string {
  const headers = new Headers(header === undefined ? [] : [["Content-Type", header]]);
  try {
    return mediaType(new Request("http://a/", { method: "POST", headers }), ACCEPTED);
  } catch (error) {
    return error instanceof Failure ? error.code : String(error);
  }
}

test("none given counts as the first one", () => {
  expect(ofHeader(undefined)).toBe("application/json");
  expect(ofHeader("")).toBe("application/json");
});

test.each([
  "application/json",
  "Application/JSON",
  "application/json;",
  "application/json;charset=utf-8",
  'application/json ; charset="UTF-8"',
  "application/json; version=1; charset=Utf-8",
  "application/json; profile=x",
])("%s is JSON", (header) => {
  expect(ofHeader(header)).toBe("application/json");
});

test("another one is known by its name", () => {
  expect(ofHeader("text/csv; header=present")).toBe("text/csv");
});

test.each([
  "text/plain",
  "application/jsonp",
  "application/json5",
  "json",
  "*/*",
  "application/json, application/json",
  "application/json;charset=utf-16",
  "application/json; charset=iso-8859-1",
  'application/json; version=1; charset="latin1"',
  "multipart/form-data; boundary=x",
])("%s is refused", (header) => {
  expect(ofHeader(header)).toBe("media-type-unsupported");
});

test("a body with a content coding is refused whatever it holds, with the coding that is accepted", () => {
  const ofCoding = (coding: string) =>
    mediaType(new Request("http://a/", { method: "POST", headers: { "Content-Encoding": coding } }), ACCEPTED);
  for (const coding of ["", "identity", "Identity"]) expect(ofCoding(coding)).toBe("application/json");
  for (const coding of ["gzip", "br", "x-gzip", "identity, gzip"]) {
    expect(() => ofCoding(coding)).toThrow(`The body must be sent plain, and its Content-Encoding is ${coding}`);
  }
});
