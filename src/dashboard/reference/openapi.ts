/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly headers?: Readonly<Record<string, Header>>;
  };
}

type Reference = { readonly $ref: string };
type PathItem = Readonly<Record<string, OperationObject>> & { readonly parameters?: readonly Parameter[] };

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema | Reference;
  readonly example?: unknown;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Header {
  readonly description?: string;
}

type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

/** One operation with its references resolved. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** False for operations that anybody may call. */
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly content: Content } | undefined;
  readonly responses: readonly { readonly status: string; readonly response: Response }[];
}

const METHODS = { get: "GET", post: "POST", patch: "PATCH", delete: "DELETE" } as const;

export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([key, method]) => {
      const found = item[key];
      return found ? [operation(document, path, item, method, found)] : [];
    }),
  );
}

function operation(
  document: OpenApiDocument,
  path: string,
  item: PathItem,
  method: Operation["method"],
  found: OperationObject,
): Operation {
  const parameters = [...(item.parameters ?? []), ...(found.parameters ?? [])];
  return {
    id: found.operationId,
    tag: found.tags[0] ?? "",
    method,
    path,
    summary: found.summary,
    description: found.description ?? "",
    needsToken: found.security?.length !== 0,
    parameters: parameters.map((parameter) => resolved<Parameter>(document, parameter)),
    body: found.requestBody && {
      required: found.requestBody.required ?? false,
      content: found.requestBody.content,
    },
    responses: Object.entries(found.responses).map(([status, response]) => ({
      status,
      response: resolved<Response>(document, response),
    })),
  };
}

/** The part of the document that a reference names, or the part itself. */
export function resolved<Part extends object>(document: OpenApiDocument, part: Part | Reference): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const names = part.$ref.replace(/^#\//, "").split("/");
  let found: unknown = document;
  for (const name of names) found = (found as Record<string, unknown> | undefined)?.[name];
  return found as Part;
}

/** The name of a schema that is given by reference. */
export function schemaName(schema: Schema): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

/** "integer (int64)", "list of strings", "KeptPlant". */
export function typeOf(document: OpenApiDocument, schema: Schema): string {
  const name = schemaName(schema);
  const { type, format, items, anyOf, oneOf } = resolved<Schema>(document, schema);
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map((choice) => typeOf(document, choice)).join(" or ");
  if (type === "array" && items) return `list of ${typeOf(document, items)}`;
  if (type === "object" && name) return name;
  const types = typeof type === "string" ? type : (type?.join(" or ") ?? "any");
  return format ? `${types} (${format})` : types;
}

/** The example of a body or answer, as text to show or send; undefined if there can be none. */
export function exampleText(document: OpenApiDocument, media: MediaType | undefined): string | undefined {
  if (!media) return undefined;
  const given = media.example ?? Object.values(media.examples ?? {})[0]?.value;
  const example = given ?? (media.schema && sampleOf(document, media.schema));
  if (example === undefined) return undefined;
  return typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

/** A value that a schema allows, from its own examples if it has any; of an object only the required members. */
function sampleOf(document: OpenApiDocument, schema: Schema): unknown {
  const {
    examples,
    default: standard,
    enum: values,
    type,
    properties,
    required = [],
    items,
  } = resolved(document, schema);
  const [given] = examples ?? values ?? [];
  if ((standard ?? given) !== undefined) return standard ?? given;
  if (properties) {
    const members = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(document, member)]));
  }
  if (type === "array") return items ? [sampleOf(document, items)] : [];
  return type === "string" ? "" : type === "integer" || type === "number" ? 1 : undefined;
}
