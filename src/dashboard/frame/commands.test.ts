import { expect, test } from "bun:test";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { commandsFor } from "./commands.ts";

const token = tokenRecord();
const plant = { id: 9007199254740993n, name: "Import fern", createdAt: new Date(0), updatedAt: new Date(0) };

const titles = (typed: string) => commandsFor(typed, [token], [plant]).map(({ title }) => title);

test("a word finds actions, pages by other names, tokens and plants", () => {
  expect(titles("import")).toEqual(["Import plants", "Greenhouse import", "Import fern · 9007199254740993"]);
  expect(titles("password").slice(0, 1)).toEqual(["Settings: Security"]);
});

test("a plant's command opens that plant, to the last digit of its id", () => {
  expect(commandsFor("fern", [], [plant]).at(-1)?.address).toBe("/dashboard/plants?plant=9007199254740993");
});

test("every typed word must be found, in any order and case, and nothing is offered for what is nowhere", () => {
  const found = (typed: string) => commandsFor(typed, [token], []).map(({ title }) => title);
  expect(found("  GREEN  import ")).toEqual(["Greenhouse import"]);
  expect(found("file Plants")).toEqual(["Import plants"]);
  expect(commandsFor("no such thing", [token], [])).toEqual([]);
});

test("a token is found by its hint too, and at most five are offered", () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...token, id: `tok_${at}` }));
  const found = commandsFor("x81Z", many, []);
  expect(found.map(({ address }) => address)).toEqual(
    [0, 1, 2, 3, 4].map((at) => `/dashboard/developer/tokens?token=tok_${at}`),
  );
});

test("a request id leads to its request, also with marks of an address in it", () => {
  expect(commandsFor("req_/../tokens?x#y", [], [])[0]?.address).toBe(
    "/dashboard/developer/requests/req_%2F..%2Ftokens%3Fx%23y",
  );
});

test("no two commands have the same id", () => {
  const ids = commandsFor("", [], []).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
