import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { formValues, useDraft } from "./draft.ts";

const KEY = "draft:plant";

function Form({ name = "" }: { readonly name?: string }) {
  const { form, change, clear, restart } = useDraft("plant", { name, tag: "" });
  return (
    <>
      <input aria-label="Name" value={form.name} onChange={(event) => change({ name: event.currentTarget.value })} />
      <p>{JSON.stringify(form)}</p>
      <button type="button" onClick={clear}>
        clear
      </button>
      <button type="button" onClick={() => restart({ name: "", tag: "" })}>
        restart
      </button>
    </>
  );
}

/** The form after what an earlier visit left in the tab. */
async function opened(left?: string, name?: string) {
  const rendered = await renderComponent(<p>before</p>);
  if (left !== undefined) sessionStorage.setItem(KEY, left);
  rendered.rerender(<Form name={name} />);
  const field = await rendered.findByLabelText("Name");
  const press = async (label: string) => rendered.user.click(rendered.getByRole("button", { name: label }));
  return { ...rendered, field, press };
}

const stored = () => JSON.parse(sessionStorage.getItem(KEY) ?? "null");

test("nothing is stored before something is typed", async () => {
  await opened();
  expect(stored()).toBeNull();
});

test("each change is stored with the whole form", async () => {
  const { user, field } = await opened();
  await user.type(field, "Fern");
  expect(stored()).toEqual({ name: "Fern", tag: "" });
});

test("a form starts with what an earlier visit of this tab left", async () => {
  const { field, getByText } = await opened('{"name":"Oak"}', "Fern");
  expect(field).toHaveProperty("value", "Oak");
  getByText('{"name":"Oak","tag":""}');
});

test("a draft that cannot be read is none", async () => {
  const { field } = await opened("{", "Fern");
  expect(field).toHaveProperty("value", "Fern");
});

test("clearing forgets what is stored, and leaves the form as it is shown", async () => {
  const { user, field, press } = await opened();
  await user.type(field, "Fern");
  await press("clear");
  expect([stored(), Reflect.get(field, "value")]).toEqual([null, "Fern"]);
});

test("starting again empties both", async () => {
  const { user, field, press } = await opened();
  await user.type(field, "Fern");
  await press("restart");
  expect([stored(), Reflect.get(field, "value")]).toEqual([null, ""]);
});

test("the fields of a form are read by their names, also those that were filled without typing", async () => {
  const { container } = await renderComponent(
    <form>
      <input name="email" defaultValue="owner@greenleaf.example" />
      <input name="password" type="password" defaultValue="monstera" />
      <input aria-label="Without a name" defaultValue="left out" />
    </form>,
  );
  expect(formValues(container.querySelector("form") as HTMLFormElement)).toEqual({
    email: "owner@greenleaf.example",
    password: "monstera",
  });
});
