import { describe, expect, test } from "bun:test";
import { SHAPE_1 } from "./v1/shape.ts";
import { VERSION } from "./v1/version.ts";
import { type InterfaceVersion, SUNSET_NOTICE_MONTHS, VERSIONS, versionHeaders } from "./version.ts";

describe("the table of versions", () => {
  test("gives every path segment to one version, and the address without one to 1.0.0", () => {
    const segments = VERSIONS.flatMap((version) => version.segments);
    expect(new Set(segments).size).toBe(segments.length);
    expect(VERSIONS.find((version) => version.segments.includes(""))?.version).toBe("1.0.0");
    expect(VERSIONS.map(({ version }) => version)).toContain(VERSION);
  });

  test("ends no version sooner than it promises", () => {
    for (const { deprecatedAt, sunsetAt } of VERSIONS) {
      if (sunsetAt === undefined) continue;
      const earliest = new Date(deprecatedAt ?? Number.NaN);
      earliest.setUTCMonth(earliest.getUTCMonth() + SUNSET_NOTICE_MONTHS);
      expect(sunsetAt).toBeGreaterThanOrEqual(earliest.getTime());
    }
  });
});

test("the headers of a version that is to end follow RFC 9745 and RFC 8594", () => {
  const old: InterfaceVersion = {
    version: "1.0.0",
    segments: ["v1"],
    shape: SHAPE_1,
    deprecatedAt: 1_830_297_600_000,
    sunsetAt: Date.UTC(2029, 11, 31, 23, 59, 59),
  };
  expect(versionHeaders(old, [old, { version: "1.1.0", segments: ["v1.1"], shape: SHAPE_1 }])).toEqual({
    "Plantstore-Version": "1.0.0",
    Deprecation: "@1830297600",
    Sunset: "Mon, 31 Dec 2029 23:59:59 GMT",
    Link: '</docs/versions#1.0.0>; rel="deprecation", </docs/versions#1.0.0>; rel="sunset", </v1.1/openapi.json>; rel="successor-version"',
  });
});
