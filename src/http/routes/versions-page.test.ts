import { describe, expect, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { VERSIONS, versionHeaders } from "#contract/version.ts";
import { VERSION_POLICY } from "#contract/version-policy.ts";
import { VERSIONS_PATH, versionsPage } from "./versions-page.ts";

const ENDING = {
  version: "1.0.0",
  segments: ["v1", ""],
  shape: SHAPE_1,
  deprecatedAt: Date.parse("2026-06-01T22:00:00.000Z"),
  sunsetAt: Date.parse("2028-01-01T00:00:00.000Z"),
} as const;
const NEXT = { version: "2.0.0", segments: ["v2"], shape: SHAPE_1 } as const;

async function page(versions: Parameters<typeof versionsPage>[0]): Promise<string> {
  return (await versionsPage(versions).request(VERSIONS_PATH)).text();
}

describe("the page of the versions", () => {
  test("has each version with its address and its state", async () => {
    const html = await page([ENDING, NEXT]);
    expect(html).toContain("Under <code>/v1</code>. Deprecated since 2026-06-01. Ends on 2028-01-01.");
    expect(html).toContain("Under <code>/v2</code>. Current.");
  });

  test("has the section that the headers of a deprecated version name", async () => {
    const html = await page([ENDING, NEXT]);
    const { Link = "" } = versionHeaders(ENDING, [ENDING, NEXT]);
    const [, path, section] = /<([^#>]+)#([^>]+)>; rel="deprecation"/.exec(Link) ?? [];
    expect(path).toBe(VERSIONS_PATH);
    expect(html).toContain(`<h2 id="${section}">`);
  });

  test("has the whole promise about versions", async () => {
    const html = await page(VERSIONS);
    for (const promise of VERSION_POLICY) expect(html).toContain(`<li>${promise}</li>`);
  });

  test("loads nothing and runs no script", async () => {
    const answer = await versionsPage(VERSIONS).request(VERSIONS_PATH);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await answer.text()).not.toMatch(/<script|src=|@import|url\(/);
  });
});
