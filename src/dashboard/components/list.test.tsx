import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { usePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { DataTable, List } from "./list.tsx";

const LIST = "GET /dashboard/api/things";
interface Thing {
  readonly id: string;
  readonly name: string;
}
interface ThingPage {
  readonly data: readonly Thing[];
  readonly next_cursor: string | null;
}

const pageOf = (names: readonly string[], next_cursor: string | null = null): ThingPage => ({
  data: names.map((name) => ({ id: name, name })),
  next_cursor,
});

function Things({ live, onOpen }: { readonly live?: boolean; readonly onOpen?: (thing: Thing) => void }) {
  const [search, change] = useAddress();
  const { query, rows } = usePages<ThingPage>("/things", search.get("q") ? { q: search.get("q") ?? "" } : {}, live);
  return (
    <>
      <button type="button" onClick={() => change({ q: "fern" })}>
        search
      </button>
      <List query={query} rows={rows} empty={<p>nothing here</p>}>
        {(things) => (
          <DataTable
            label="Things"
            rows={things}
            keyOf={({ id }) => id}
            onOpen={onOpen}
            columns={[
              { title: "Name", name: ({ name }) => name },
              { title: "Kind", cell: () => "thing" },
              { title: "", cell: () => <button type="button">menu</button> },
            ]}
          />
        )}
      </List>
    </>
  );
}

async function shown(answer: unknown, props: Parameters<typeof Things>[0] = {}, answers: Record<string, unknown> = {}) {
  const rendered = await renderComponent(<Things {...props} />, { answers: { [LIST]: answer, ...answers } });
  const names = () =>
    rendered.queryAllByRole("row").flatMap((row) => row.querySelector(".row-link")?.textContent ?? []);
  return { ...rendered, names };
}

test("a list that takes long shows its shape meanwhile; one that is refused says why and can be asked for again", async () => {
  const slow = held(refusal(40301, "This session may not read that"));
  const answers: unknown[] = [slow.answer(), pageOf(["Oak"])];
  const { container, press, findByText, findByRole, waitFor } = await shown(() => answers.shift());
  await waitFor(() => expect(container.querySelector(".late")).not.toBeNull());
  slow.release();
  await findByText("This session may not read that");
  await findByText("req_test");
  await press("Try again");
  await findByRole("table", { name: "Things" });
});

test("later pages follow on demand, below what is there, until there are no more", async () => {
  const { user, names, findByRole, queryByRole } = await shown(({ url }: { readonly url: URL }) =>
    url.searchParams.get("cursor") === "next" ? pageOf(["Ash"]) : pageOf(["Oak", "Elm"], "next"),
  );
  await user.click(await findByRole("button", { name: "Show more" }));
  await findByRole("button", { name: "Ash" });
  expect(names()).toEqual(["Oak", "Elm", "Ash"]);
  expect(queryByRole("button", { name: "Show more" })).toBeNull();
});

test("what stood there stays, dimmed, until another filter is answered", async () => {
  const slow = held(pageOf(["Fern"]));
  const { user, container, names, findByRole, waitFor } = await shown(({ url }: { readonly url: URL }) =>
    url.searchParams.get("q") === "fern" ? slow.answer() : pageOf(["Oak"]),
  );
  await findByRole("button", { name: "Oak" });
  await user.click(await findByRole("button", { name: "search" }));
  await waitFor(() => expect(container.querySelector(".stale")?.getAttribute("aria-busy")).toBe("true"));
  expect(names()).toEqual(["Oak"]);
  slow.release();
  await waitFor(() => expect(names()).toEqual(["Fern"]));
  expect(container.querySelector(".stale")).toBeNull();
});

test("in an outage what stood there stays too, also for a search that gets no answer, and what was asked for comes by itself", async () => {
  let gone = false;
  const { page, user, container, names, findByRole, queryByRole, waitFor } = await shown(
    ({ url }: { readonly url: URL }) => (gone ? noAnswer() : pageOf([url.searchParams.get("q") ?? "Oak"])),
    {},
    { "GET /healthz": () => (gone ? noAnswer() : "ok") },
  );
  await findByRole("button", { name: "Oak" });
  gone = true;
  await user.click(await findByRole("button", { name: "search" }));
  await waitFor(() => expect(page.service.connection.lost.get()).toBe(true));
  await waitFor(() => expect(container.querySelector(".stale") === null).toBe(false));
  expect([names(), queryByRole("alert")]).toEqual([["Oak"], null]);
  gone = false;
  await page.service.connection.retryNow();
  await waitFor(() => expect(names()).toEqual(["fern"]));
});
