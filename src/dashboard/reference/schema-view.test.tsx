import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import type { Schema } from "./openapi.ts";
import { SchemaView } from "./schema-view.tsx";

// A schema that holds itself, as a tree does.
const TREE: Schema = { type: "object", properties: {} };
Reflect.set(TREE.properties ?? {}, "below", TREE);

const shown = (schema: Schema) => renderComponent(<SchemaView schema={schema} />);

test("a schema that holds itself ends after three levels", async () => {
  const { container } = await shown(TREE);
  expect(container.querySelectorAll("details")).toHaveLength(3);
});
