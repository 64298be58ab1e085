import { expect, test } from "bun:test";
import type { RequestDetail } from "#contract/dashboard/requests.ts";
import { held, renderComponent } from "#test/support/component.tsx";
import { requestRecord } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import { RequestDetails } from "./request-details.tsx";

const ONE = "GET /dashboard/api/requests/req_1";

async function opened(answer: unknown) {
  const closed: string[] = [];
  const rendered = await renderComponent(<RequestDetails id="req_1" onClose={() => closed.push("closed")} />, {
    answers: { [ONE]: answer },
  });
  return { ...rendered, closed };
}

const detail = (more: Partial<RequestDetail> = {}): RequestDetail => ({ ...requestRecord(), ...more });
const facts = (dialog: HTMLElement) =>
  Object.fromEntries(
    [...dialog.querySelectorAll("dl > div")].map((row) => [
      row.querySelector("dt")?.textContent,
      row.querySelector("dd")?.textContent,
    ]),
  );

const REFUSED = detail({
  method: "POST",
  path: "/v1/plants",
  status: 409,
  error: 40901,
  message: "The id 7 is taken by a plant with another `name`",
  excerpt: '{"id":9007199254740993,"name":"It\'s"}',
});

test("of a plain success there is what every request has, and nothing that it lacks", async () => {
  const { findByRole, queryByRole } = await opened(detail({ token: undefined }));
  const dialog = await findByRole("dialog", { name: "GET /v1/plants/7" });
  expect(Object.keys(facts(dialog))).toEqual(["Request id", "Status", "Time", "Duration"]);
  expect(facts(dialog)).toMatchObject({ Status: "200", Duration: "1.5 ms" });
  expect([queryByRole("alert"), queryByRole("heading", { name: "Request body" })]).toEqual([null, null]);
});

test("what is known of a request beyond that has a row each", async () => {
  const { findByRole } = await opened(
    detail({
      address: "203.0.113.7",
      agent: "curl/8",
      bytes_in: 2048,
      plant_id: "7",
      replayed: true,
      trace_id: "4bf92f35",
      sampled_of: 1200,
    }),
  );
  expect(facts(await findByRole("dialog", { name: "GET /v1/plants/7" }))).toMatchObject({
    Token: "Greenhouse import",
    Plant: "7",
    From: "203.0.113.7",
    Client: "curl/8",
    Size: "2 kB",
    Repeated: "Answered like the first time; nothing was written",
    Trace: "4bf92f35",
    Sample: "One of 1,200 successes in that second",
  });
});

test("a refusal says what was wrong and what to do, in sentences without marks", async () => {
  const { findByRole } = await opened(REFUSED);
  const alert = await findByRole("alert", { name: "Error 40901" });
  expect(alert.textContent).toContain("The id 7 is taken by a plant with another name.");
  expect(alert.textContent).toContain("Choose another id, or change the existing plant with PATCH.");
  expect(alert.textContent).not.toContain("`");
});

test("a refusal whose message the log lacks says what its number means", async () => {
  const { findByRole } = await opened({ ...REFUSED, message: undefined });
  expect((await findByRole("alert", { name: "Error 40901" })).textContent).toContain(
    "The id is taken by a different plant.",
  );
});

test("from a refusal one gets to all of its kind, and to the table of errors", async () => {
  const { findByRole } = await opened(REFUSED);
  const link = async (name: string) => (await findByRole("link", { name })).getAttribute("href");
  expect(await link("All requests with this error")).toBe("/dashboard/developer/requests?error=40901");
  expect(await link("All errors")).toBe("/docs#tag-errors");
});

test("a body is shown with every digit, and repeated exactly as it was sent", async () => {
  const { user, findByRole, findByText, getByText } = await opened(REFUSED);
  await findByText(/"id": 9007199254740993/);
  getByText(/--data-binary '\{"id":9007199254740993,"name":"It'\\''s"\}'/);
  await user.click(await findByRole("button", { name: "Copy the curl line" }));
  const line = await navigator.clipboard.readText();
  expect(line).toStartWith("curl -X POST 'http://127.0.0.1:3000/v1/plants' \\\n");
  expect(line).toContain("-H 'Authorization: Bearer YOUR_TOKEN'");
});

test("the request id can be copied, to be quoted", async () => {
  const { user, findByRole } = await opened(detail());
  await user.click(await findByRole("button", { name: "Copy the request id" }));
  expect(await navigator.clipboard.readText()).toBe("req_1");
});

test("a request that takes long shows its shape under its id; a refused one can be asked for again", async () => {
  const slow = slowRefusal(detail());
  const rendered = await opened(slow.answer);
  await rendered.findByRole("dialog", { name: "req_1" });
  await slow.check({ ...rendered, container: document.body });
  await rendered.findByRole("dialog", { name: "GET /v1/plants/7" });
});

test("one that the log has dropped says so, without guessing why", async () => {
  const { findByText } = await opened(undefined);
  await findByText("This request is not in the log");
});

test("Escape closes the panel before its answer has come", async () => {
  const slow = held(detail());
  const { user, closed, findByRole } = await opened(slow.answer);
  await findByRole("dialog", { name: "req_1" });
  await user.keyboard("{Escape}");
  expect(closed).toEqual(["closed"]);
  slow.release();
});
