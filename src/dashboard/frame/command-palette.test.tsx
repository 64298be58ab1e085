import { expect, test } from "bun:test";
import { mayDo, type Right, type Role } from "#contract/dashboard/role.ts";
import { held, noAnswer, renderComponent } from "#test/support/component.tsx";
import { plantPageText, plantText, tokenRecord } from "#test/support/dashboard-records.ts";
import CommandPalette, { commandsFor } from "./command-palette.tsx";

const LIST = "GET /dashboard/api/v1/plants";

async function opened(answers: Record<string, unknown> = {}) {
  const rendered = await renderComponent(<CommandPalette />, {
    answers: {
      "GET /dashboard/api/tokens": { tokens: [tokenRecord()] },
      [LIST]: plantPageText([]),
      ...answers,
    },
  });
  rendered.page.palette.set(true);
  const field = await rendered.findByRole("combobox");
  const active = () => {
    const id = field.getAttribute("aria-activedescendant") ?? "";
    return document.getElementById(id)?.querySelector("bdi")?.textContent;
  };
  const options = () => rendered.queryAllByRole("option").map((option) => option.querySelector("bdi")?.textContent);
  return { ...rendered, field, active, options };
}

test("the arrows move through the results and around their ends, told to screen readers, while one types on", async () => {
  const { user, field, active, options } = await opened();
  await user.click(field);
  const [first, second] = options();
  const last = options().at(-1);
  expect(active()).toBe(first);
  await user.keyboard("{ArrowDown}");
  expect(active()).toBe(second);
  await user.keyboard("{ArrowUp}{ArrowUp}");
  expect(active()).toBe(last);
  await user.keyboard("{ArrowDown}");
  expect(active()).toBe(first);
  expect(document.activeElement === field).toBe(true);
});

test("what was chosen stays so when others are found before it", async () => {
  const slow = held({ tokens: [tokenRecord({ name: "Fern import" })] });
  const { user, field, active, options, waitFor } = await opened({
    "GET /dashboard/api/tokens": slow.answer,
    [LIST]: plantPageText([plantText("7", "Tree fern"), plantText("8", "Fern")]),
  });
  await user.type(field, "fern");
  await waitFor(() => expect(options()).toEqual(["Tree fern · 7", "Fern · 8"]));
  await user.keyboard("{ArrowDown}");
  slow.release();
  await waitFor(() => expect(options()).toHaveLength(3));
  expect(active()).toBe("Fern · 8");
});

test("plants are found by name, by id to the last digit, and by the address of a label", async () => {
  const { user, field, options, waitFor } = await opened({
    [LIST]: ({ url }: { readonly url: URL }) =>
      plantPageText(url.searchParams.get("q") === "fern" ? [plantText("7", "Tree fern")] : []),
    "GET /dashboard/api/v1/plants/9007199254740993": plantText("9007199254740993", "Giant sequoia"),
  });
  await user.type(field, "fern");
  await waitFor(() => expect(options()).toEqual(["Tree fern · 7"]));
  await user.clear(field);
  await user.type(field, "9007199254740993");
  await waitFor(() => expect(options()).toEqual(["Giant sequoia · 9007199254740993"]));
  await user.clear(field);
  await user.type(field, `${location.origin}/dashboard/plants/9007199254740993`);
  await waitFor(() => expect(options()).toEqual(["Giant sequoia · 9007199254740993"]));
  await user.keyboard("{Enter}");
  expect(location.search).toBe("?plant=9007199254740993");
});

test("Enter right after another text opens no plant that was found for the one before", async () => {
  const { instantUser, field, options, waitFor } = await opened({
    [LIST]: plantPageText([plantText("7", "Tree fern")]),
  });
  const before = location.href;
  await instantUser.type(field, "fern");
  await waitFor(() => expect(options()).toEqual(["Tree fern · 7"]));
  await instantUser.type(field, "{Backspace}{Backspace}{Backspace}{Backspace}rose{Enter}");
  expect(location.href).toBe(before);
});

test("it does not say that there are no results before the plants were asked for", async () => {
  const slow = held(plantPageText([plantText("7", "Baobab")]));
  const { user, field, options, queryByText, findByText, waitFor } = await opened({ [LIST]: slow.answer });
  await user.type(field, "baobab");
  await findByText("Searching…");
  expect(queryByText("No results")).toBeNull();
  slow.release();
  await waitFor(() => expect(options()).toEqual(["Baobab · 7"]));
});

test("while the service is out of reach, pages and actions are still there", async () => {
  const { user, field, options } = await opened({
    "GET /dashboard/api/tokens": noAnswer,
    [LIST]: noAnswer,
    "GET /healthz": noAnswer,
  });
  await user.type(field, "import");
  expect(options()).toEqual(["Import plants"]);
});

const token = tokenRecord();
const plant = { id: 9007199254740993n, name: "Import fern", createdAt: new Date(0), updatedAt: new Date(0) };

const mayAs =
  (role: Role) =>
  (right: Right | undefined): boolean =>
    right === undefined || mayDo(role, right);
const asOwner = mayAs("owner");

const titles = (typed: string, plants = [plant], may = asOwner) =>
  commandsFor(typed, [token], plants, may).map(({ title }) => title);

test("a word finds actions, pages by other names, tokens and plants", () => {
  expect(titles("import")).toEqual(["Import plants", "Greenhouse import", "Import fern · 9007199254740993"]);
  expect(titles("password").slice(0, 1)).toEqual(["Settings: Security"]);
});

test("every typed word must be found, in any order and case, and nothing is offered for what is nowhere", () => {
  expect(titles("  GREEN  import ", [])).toEqual(["Greenhouse import"]);
  expect(titles("file Plants", [])).toEqual(["Import plants"]);
  expect(titles("no such thing", [])).toEqual([]);
});

test("a token is found by its hint too, and at most five are offered", () => {
  const many = Array.from({ length: 9 }, (_, at) => ({ ...token, id: `tok_${at}` }));
  const found = commandsFor("x81Z", many, [], asOwner);
  expect(found.map(({ address }) => address)).toEqual(
    [0, 1, 2, 3, 4].map((at) => `/dashboard/developer/tokens?token=tok_${at}`),
  );
});

test("a request id leads to its request, also with marks of an address in it", () => {
  expect(commandsFor("req_/../tokens?x#y", [], [], asOwner)[0]?.address).toBe(
    "/dashboard/developer/requests/req_%2F..%2Ftokens%3Fx%23y",
  );
});

test("only pages and actions that the role allows are offered", () => {
  const offered = (role: Role) => titles("", [], mayAs(role));
  expect(offered("viewer")).toEqual(expect.arrayContaining(["Overview", "Plants", "Activity", "Settings: People"]));
  // Who looks after plants alone has no page for programs, as in the navigation.
  for (const role of ["viewer", "editor"] as const) expect(offered(role).join()).not.toContain("Developer");
  for (const title of ["Add plant", "Import plants", "Create token", "Add webhook endpoint", "Developer: Tokens"]) {
    expect([title, offered("viewer").includes(title)]).toEqual([title, false]);
    expect([title, offered("owner").includes(title)]).toEqual([title, true]);
  }
  expect(offered("editor")).toContain("Add plant");
  expect(offered("editor")).not.toContain("Create token");
  expect(titles("req_1", [], mayAs("editor"))).toEqual([]);
  expect(titles("req_1", [], mayAs("developer"))).toEqual(["Request req_1"]);
});
