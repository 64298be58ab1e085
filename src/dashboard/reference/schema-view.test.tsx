import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import type { Schema } from "./openapi.ts";
import { SchemaView } from "./schema-view.tsx";

const PLANT: Schema = {
  type: "object",
  required: ["id", "name"],
  properties: {
    id: { type: "integer", format: "int64", description: "Unique in the `account`.", minimum: 1, maximum: 9 },
    name: { type: "string" },
    tag: { type: "string", default: "none" },
    order: { type: "string", enum: ["id", "-created_at"] },
  },
};

// A schema that holds itself, as a tree does.
const TREE: Schema = { type: "object", properties: {} };
Reflect.set(TREE.properties ?? {}, "below", TREE);

const shown = (schema: Schema) => renderComponent(<SchemaView schema={schema} />);

/** The text of the members of the first level, in order. */
function members(container: Element): string[] {
  const list = container.querySelector(".members");
  return [...(list?.children ?? [])].map(({ textContent }) => textContent ?? "");
}

test("each member has its name, its type in words, and its limits, default and allowed values in sentences", async () => {
  const { container } = await shown(PLANT);
  const [id, name, tag, order] = members(container);
  expect(id).toStartWith("id integer (int64)required");
  expect(id).toEndWith("Unique in the account.From 1 to 9.");
  expect(name).toBe("name stringrequired");
  expect(tag).toEndWith("By default none.");
  expect(order).toEndWith("One of id, -created_at.");
});

test("a schema that holds itself ends after three levels", async () => {
  const { container } = await shown(TREE);
  expect(container.querySelectorAll("details")).toHaveLength(3);
});
