import { expect, test } from "bun:test";
import { releasesOf } from "./releases.ts";

test("a change of several lines is one, and a line of text names those below it", () => {
  expect(
    releasesOf(
      "# Changelog\n\n## 2.0.0\n\n- **One**\n  change\n- [Two](docs/two.md) ([docs/two.md](docs/two.md)).\n\n## 1.0.0\n\nThe service\n\n- Three\n",
    ),
  ).toEqual([
    { title: "2.0.0", parts: [{ heading: "", changes: ["One change", "Two."] }] },
    { title: "1.0.0", parts: [{ heading: "The service", changes: ["Three"] }] },
  ]);
});
