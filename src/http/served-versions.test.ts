import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { InterfaceVersion } from "#contract/version.ts";
import { refusal } from "#test/support/refusal.ts";
import { ServedVersions } from "./served-versions.ts";

const ENDS = Date.parse("2028-01-01T00:00:00.000Z");
const OLD: InterfaceVersion = {
  version: "1.0.0",
  segments: ["v1", "", "1", "1.0"],
  shape: SHAPE_1,
  deprecatedAt: Date.parse("2026-06-01T00:00:00.000Z"),
  sunsetAt: ENDS,
};
const NEW: InterfaceVersion = { version: "2.0.0", segments: ["v2", "2"], shape: SHAPE_1 };
const versions = new ServedVersions([OLD, NEW]);

afterEach(() => void setSystemTime());

describe("an address that no route has", () => {
  test.each(["/v9", "/v9/plants", "/3.1/plants", "/v0"])("%s names no version that there is", (path) => {
    const { code, message } = versions.addressUnknown(path);
    expect(code).toBe("version-unknown");
    expect(message).toBe(
      `There is no version ${path.split("/")[1]}; the versions are v1 (1.0.0), also written 1 and 1.0; v2 (2.0.0), also written 2`,
    );
  });
});

describe("a version that was told to end", () => {
  const [old, newest] = versions.all;

  test("is served until its sunset, and refused from that moment on", () => {
    setSystemTime(ENDS - 1);
    expect(refusal(() => old?.refuseIfEnded())[0]).toBe("taken");
    setSystemTime(ENDS);
    expect(refusal(() => old?.refuseIfEnded())).toEqual([
      "version-ended",
      "Version 1.0.0 has ended; use v2 (2.0.0), also written 2",
    ]);
    expect(refusal(() => newest?.refuseIfEnded())[0]).toBe("taken");
  });

  test("has no successor to name where it was the last", () => {
    setSystemTime(ENDS);
    const [last] = new ServedVersions([OLD]).all;
    expect(refusal(() => last?.refuseIfEnded())[1]).toBe("Version 1.0.0 has ended; there is no version after it");
  });
});
