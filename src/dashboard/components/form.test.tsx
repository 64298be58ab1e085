import { expect, test } from "bun:test";
import { Checkbox, PasswordInput, TextInput } from "@mantine/core";
import { focusedName, held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { Dialog } from "./dialog.tsx";
import { Radios } from "./filters.tsx";
import { Form, useForm } from "./form.tsx";
import { Question } from "./form-dialog.tsx";

const SEND = "POST /dashboard/api/things";
const KEY = "draft:thing";

const SIZES = { small: { label: "Small", meaning: "In a pot" }, large: { label: "Large", meaning: "In the ground" } };

interface ThingProps {
  /** The name before anything is typed. */
  readonly name?: string;
  readonly done?: (answer: unknown) => void;
  readonly onClose?: () => void;
}

function Thing({ name = "", done, onClose = () => {} }: ThingProps) {
  const form = useForm({
    draft: "thing",
    initial: { name, tag: "", password: "", size: "small", isNew: false },
    check: (values, shown) => (values.tag === "odd" && !shown.tag ? { tag: "That is odd" } : {}),
    send: (service, values, changed) => service.api("POST", "/things", { values, changed }),
    done,
  });
  return (
    <Dialog title="Thing" onClose={onClose}>
      <Form form={form} label="Add thing" failure="The thing could not be added" saved="Added" onCancel={onClose}>
        <TextInput {...form.field("name", "Name")} />
        <TextInput {...form.field("tag", "Tag")} />
        <PasswordInput {...form.secret("password", "Password")} />
        <Radios {...form.choice("size", "Size")} choices={SIZES} />
        <Checkbox {...form.checkbox("isNew", "New")} />
        <input name="not-of-the-form" aria-label="Other" />
      </Form>
    </Dialog>
  );
}

/** The form after what an earlier visit left in the tab. */
async function opened(answer: unknown, { left = "", ...props }: ThingProps & { readonly left?: string } = {}) {
  const closed: string[] = [];
  const rendered = await renderComponent(<Thing onClose={() => closed.push("closed")} {...props} />, {
    answers: { [SEND]: answer, "GET /healthz": noAnswer },
    stored: left ? { [KEY]: left } : {},
  });
  const name = await rendered.findByLabelText("Name");
  const stored = () => JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  return { ...rendered, name, closed, stored };
}

test("what was typed is sent with what was not, as it is in the fields, and what differs is told apart", async () => {
  const { user, name, sent, findByLabelText, findByText, stored } = await opened({}, { name: "Fern" });
  await user.type(await findByLabelText("Tag"), "indoor");
  // Password managers fill a field without an event.
  Reflect.set(await findByLabelText("Password"), "value", "monstera");
  await user.type(name, "s{Backspace}{Enter}");
  await findByText("Added");
  const values = { name: "Fern", tag: "indoor", password: "monstera", size: "small", isNew: false };
  expect(sent(SEND)).toEqual([{ values, changed: { tag: "indoor" } }]);
  expect(stored()).toBeNull();
});

test("a form survives a reload of the page: what was typed is kept in the tab, and a broken draft is none", async () => {
  const { user, name, stored } = await opened({}, { left: '{"name":"Oak"}', name: "Fern" });
  expect(name).toHaveProperty("value", "Oak");
  await user.type(name, "s");
  expect(stored()).toEqual({ name: "Oaks" });
  const broken = await opened({}, { left: "{", name: "Fern" });
  expect(broken.name).toHaveProperty("value", "Fern");
});

test("Escape keeps what was typed for the next time, and Cancel discards it", async () => {
  const { user, name, closed, stored, calls, findByRole } = await opened({});
  await user.type(name, "Fern");
  await user.keyboard("{Escape}");
  expect([closed.length, stored()]).toEqual([1, { name: "Fern" }]);
  await user.click(await findByRole("button", { name: "Cancel" }));
  expect([closed.length, stored(), Reflect.get(name, "value")]).toEqual([2, null, ""]);
  expect(calls()).toEqual([]);
});

for (const [what, answer, said] of [
  ["a refusal", refusal(40902, "There are too many things"), "There are too many things"],
  ["no answer", noAnswer, /does not answer.*What you typed is kept/],
] as const) {
  test(`${what} stands above the buttons, everything typed stays, and the next try may succeed`, async () => {
    let refused = true;
    const { user, name, findByRole, findByText } = await opened(() =>
      refused ? (typeof answer === "function" ? answer() : answer) : {},
    );
    await user.type(name, "Fern{Enter}");
    const alert = await findByRole("alert", { name: "The thing could not be added" });
    await findByText(said);
    const button = await findByRole("button", { name: "Add thing" });
    expect(alert.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING).toBeGreaterThan(0);
    expect(name).toHaveProperty("value", "Fern");
    refused = false;
    await user.click(button);
    await findByText("Added");
  });
}

test("a refusal that names a field stands at that field alone, in the field's own label", async () => {
  const { user, name, findByText, queryByRole } = await opened(refusal(40003, 'The member "name" must be shorter'));
  await user.type(name, "Fern{Enter}");
  const said = await findByText("Name must be shorter.");
  expect(name.getAttribute("aria-describedby")).toContain(said.id);
  expect(queryByRole("alert")).toBeNull();
  const other = await opened(refusal(40003, 'The member "colour" must be a string'));
  await other.user.type(other.name, "Fern{Enter}");
  await other.findByText('The member "colour" must be a string');
});

test.each([
  [40003, "The password is too common", "Password is too common."],
  [40901, "The tag 7 is taken", "Tag 7 is taken."],
])(
  "a refusal %p whose sentence begins with a field stands there until that is changed",
  async (error, message, said) => {
    const { user, findByText, findByLabelText, queryByText, queryByRole } = await opened(refusal(error, message));
    const field = await findByLabelText(said.split(" ", 1)[0] ?? "");
    await user.type(field, "7{Enter}");
    await findByText(said);
    expect(queryByRole("alert")).toBeNull();
    await user.type(field, "8");
    expect(queryByText(said)).toBeNull();
  },
);

test("a problem that the page finds does not stand beside the refusal of the try before", async () => {
  const { user, findByLabelText, findByRole, findByText, queryByRole } = await opened(
    refusal(40902, "Too many things"),
  );
  const tag = await findByLabelText("Tag");
  await user.type(tag, "even{Enter}");
  await findByRole("alert", { name: "The thing could not be added" });
  await user.clear(tag);
  await user.type(tag, "odd{Enter}");
  await findByText("That is odd");
  expect(queryByRole("alert")).toBeNull();
});

test.each([
  ["a password", 'Cannot take "password": it must be longer', "Password: it must be longer."],
  ["a choice", 'The member "size" must be "small"', 'Size must be "small".'],
  ["what is ticked", 'The member "isNew" must be true', 'The member "isNew" must be true'],
])("a refusal of %s is shown", async (_, message, said) => {
  const { user, name, findByText } = await opened(refusal(40003, message));
  await user.type(name, "Fern{Enter}");
  await findByText(said);
});

test("a problem that the page finds stands at its field, which gets the focus, and nothing is sent until it is solved", async () => {
  const { user, calls, findByLabelText, findByText, queryByText } = await opened({});
  const tag = await findByLabelText("Tag");
  await user.type(tag, "odd{Enter}");
  await findByText("That is odd");
  expect([focusedName(), calls()]).toEqual(["Tag", []]);
  await user.type(tag, "er");
  expect(queryByText("That is odd")).toBeNull();
  await user.keyboard("{Enter}");
  await findByText("Added");
});

test("while it waits it sends nothing more, keeps the focus, and tells screen readers; its name stays", async () => {
  const slow = held({});
  const { user, name, calls, findByRole, findByText } = await opened(slow.answer);
  await user.type(name, "Fern{Enter}{Enter}");
  const button = await findByRole("button", { name: "Add thing" });
  button.focus();
  await user.keyboard("{Enter}");
  expect([button.getAttribute("aria-disabled"), button.hasAttribute("disabled")]).toEqual(["true", false]);
  expect([document.activeElement === button, button.textContent]).toEqual([true, "Add thing"]);
  expect(button.querySelector(".mantine-Loader-root")?.getAttribute("aria-hidden")).toBe("true");
  slow.release();
  await findByText("Added");
  expect(calls()).toEqual([SEND]);
});

test("a question has the focus on the safe answer; it sends once, and says why if it is refused", async () => {
  const slow = held(refusal(50301, "The storage is away"));
  let answer: () => unknown = slow.answer;
  const done: unknown[] = [];
  const { user, sent, findByRole, findByText, waitFor } = await renderComponent(
    <Question
      title="Remove it?"
      label="Remove"
      failure="It could not be removed"
      send={(service) => service.api("POST", "/things")}
      done={() => done.push("done")}
      onClose={() => {}}
    >
      It is gone then.
    </Question>,
    { answers: { [SEND]: () => answer() } },
  );
  await waitFor(() => expect(focusedName()).toBe("Cancel"));
  await user.dblClick(await findByRole("button", { name: "Remove" }));
  slow.release();
  await findByText("The storage is away");
  expect([sent(SEND).length, done]).toEqual([1, []]);
  answer = () => ({});
  await user.click(await findByRole("button", { name: "Remove" }));
  await waitFor(() => expect(done).toEqual(["done"]));
});
