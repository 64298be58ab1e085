import { z } from "zod";
import {
  errorSchema,
  importResultSchema,
  keptPlantSchema,
  newPlantSchema,
  plantPageSchema,
  plantPatchSchema,
  plantSchema,
} from "../schemas.ts";

const PUBLISHED = [
  plantSchema,
  newPlantSchema,
  errorSchema,
  keptPlantSchema,
  plantPatchSchema,
  plantPageSchema,
  importResultSchema,
];

/** The wire's shapes as JSON Schema 2020-12, which is OpenAPI 3.1's own. */
export function componentSchemas(): Record<string, object> {
  return Object.assign({}, ...PUBLISHED.map(definitions));
}

/** A schema that has a name comes as a reference, with itself and those it refers to as definitions. */
function definitions(schema: z.ZodType): Record<string, object> {
  const { $defs = {} } = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const named = Object.entries($defs).map(([name, { id: _name, ...rest }]) => [name, rest]);
  return JSON.parse(JSON.stringify(Object.fromEntries(named)).replaceAll("#/$defs/", "#/components/schemas/"));
}
