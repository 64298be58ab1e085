import { expect, test } from "bun:test";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { versionHeaders } from "#contract/version.ts";
import { VERSION_POLICY } from "#contract/version-policy.ts";
import { routesOf } from "../routing.ts";
import { VERSIONS_PATH, versionsPage } from "./versions-page.ts";

const ENDING = {
  version: "1.0.0",
  segments: ["v1", ""],
  shape: SHAPE_1,
  deprecatedAt: Date.parse("2026-06-01T22:00:00.000Z"),
  sunsetAt: Date.parse("2028-01-01T00:00:00.000Z"),
} as const;
const VERSIONS = [ENDING, { version: "2.0.0", segments: ["v2"], shape: SHAPE_1 }] as const;

test("the page has the promise about versions, and the section of each that its headers name, with its state", async () => {
  const answer = await routesOf(versionsPage(VERSIONS)).request(VERSIONS_PATH);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  const html = await answer.text();
  expect(html).toContain("Under <code>/v1</code>. Deprecated since 2026-06-01. Ends on 2028-01-01.");
  expect(html).toContain("Under <code>/v2</code>. Current.");
  for (const promise of VERSION_POLICY) expect(html).toContain(`<li>${promise}</li>`);
  const { Link = "" } = versionHeaders(ENDING, VERSIONS);
  const [, path, section] = /<([^#>]+)#([^>]+)>; rel="deprecation"/.exec(Link) ?? [];
  expect(path).toBe(VERSIONS_PATH);
  expect(html).toContain(`<h2 id="${section}">`);
  expect(html).not.toMatch(/<script|src=|@import|url\(/);
});
