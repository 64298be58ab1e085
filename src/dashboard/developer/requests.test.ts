import "#test/support/dom.ts";
import { expect, test } from "bun:test";
import { repeatLine, searchedFor } from "./requests.ts";

test("one search field finds requests by their id, by a plant's id and by their path", () => {
  expect(searchedFor(" req_8fK2 ")).toEqual({ request_id: "req_8fK2", plant: "", path: "" });
  expect(searchedFor("-9223372036854775808")).toMatchObject({ plant: "-9223372036854775808" });
  expect(searchedFor("v1/plants")).toMatchObject({ path: "/v1/plants" });
  expect(searchedFor("")).toEqual({ request_id: "", plant: "", path: "" });
});

test("a refused request can be repeated by a line that holds no token", async () => {
  const line = repeatLine("http://127.0.0.1:1", {
    method: "POST",
    path: "/v1/plants",
    excerpt: `{"name": "Ma's fern"}`,
  });
  const shell = Bun.spawn(["sh", "-c", line.replace(/^curl/, "printf '%s|'")], { stdout: "pipe" });
  const words = (await new Response(shell.stdout).text()).split("|");
  expect(words).toContain("http://127.0.0.1:1/v1/plants");
  expect(words).toContain(`{"name": "Ma's fern"}`);
  expect(words).toContain("Authorization: Bearer YOUR_TOKEN");
});
