import { describe, expect, test } from "bun:test";
import { VERSION } from "./v1/version.ts";
import { SUNSET_NOTICE_MONTHS, VERSIONS } from "./version.ts";

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
