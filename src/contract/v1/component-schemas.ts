import { z } from "zod";
import { COMPONENTS } from "./schemas.ts";
import "./event-schemas.ts";
import "./token.ts";
import "./webhooks.ts";

/** The schemas of the wire as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function componentSchemas(): Record<string, object> {
  return Object.assign({}, ...COMPONENTS.map(definitions));
}

/** A named schema is converted to a reference, with itself and those it refers to as definitions. */
function definitions(schema: z.ZodType): Record<string, object> {
  const { $defs = {} } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const named = Object.entries($defs).map(([name, { id: _name, ...rest }]) => [name, rest]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll("#/$defs/", "#/components/schemas/"));
}
