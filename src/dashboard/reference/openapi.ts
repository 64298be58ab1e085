import type { ServiceClient } from "../api/service-client.ts";

/** The parts of an OpenAPI 3.1 document that the reference shows. Anything in it may be a reference to another part. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** The requests that the service sends, by the type of the event. */
  readonly webhooks: Readonly<Record<string, PathItem>>;
}

/** Operations by their methods in small letters, and the parameters that they share. */
type PathItem = Readonly<Record<string, Operation | undefined>> & { readonly parameters?: readonly Parameter[] };

/** The document that the service publishes. It stays the same for as long as the page does. */
export function referenceQuery(service: ServiceClient) {
  return {
    queryKey: ["openapi"],
    queryFn: () => service.request<OpenApiDocument>("GET", "/openapi.json"),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Content = Readonly<Record<string, MediaType>>;

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

/** One operation with its references resolved. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly method: (typeof METHODS)[number];
  /** The address, or of a webhook the type of its event. */
  readonly path: string;
  /** True for a request that the service sends, to an address of its receiver. */
  readonly isWebhook: boolean;
  readonly summary: string;
  readonly description?: string;
  /** Empty for operations that anybody may call. */
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly "x-error-numbers"?: readonly number[];
  readonly "x-scopes"?: readonly string[];
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** All operations, and the requests to webhooks, in the order of the document's tags. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const { paths, webhooks, tags } = linked(document);
  const place = ({ tags: [first] }: Operation) => tags.findIndex(({ name }) => name === first);
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, { parameters: shared = [], ...item }]) =>
    METHODS.flatMap((method) => {
      const found = item[method.toLowerCase()];
      const parameters = [...shared, ...(found?.parameters ?? [])];
      return found ? { ...found, method, path, isWebhook: path in webhooks, parameters } : [];
    }),
  );
  return operations.sort((a, b) => place(a) - place(b));
}

export function needsToken({ security }: Operation): boolean {
  return security?.length !== 0;
}

/** True for an operation that a session may do in place of a token; that which reads the token itself has none to read. */
export function takesSession({ "x-scopes": scopes = [] }: Operation): boolean {
  return scopes.length > 0;
}

const NAMES = new WeakMap<object, string>();

export function schemaName(schema: Schema): string | undefined {
  return NAMES.get(schema);
}

/** A copy of the document in which the part itself stands in place of each reference to it. */
function linked(document: OpenApiDocument): OpenApiDocument {
  const copies = new Map<object, object>();
  const target = (reference: string): unknown => {
    const names = reference.replace(/^#\//, "").split("/");
    const found = copyOf(names.reduce<unknown>((part, name) => Object(part)[name], document));
    if (found instanceof Object) NAMES.set(found, names.at(-1) ?? "");
    return found;
  };
  const copyOf = (part: unknown): unknown => {
    if (!(part instanceof Object)) return part;
    if ("$ref" in part) return target(String(part.$ref));
    const known = copies.get(part);
    if (known) return known;
    const copy = Array.isArray(part) ? [] : {};
    copies.set(part, copy);
    for (const [name, member] of Object.entries(part)) Reflect.set(copy, name, copyOf(member));
    return copy;
  };
  return copyOf(document) as OpenApiDocument;
}

/** "integer (int64)", "list of strings", "KeptPlant". */
export function typeOf(schema: Schema): string {
  const name = schemaName(schema);
  const { type, format, items, anyOf, oneOf } = schema;
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map(typeOf).join(" or ");
  if (type === "array" && items) return `list of ${typeOf(items)}`;
  if (type === "object" && name) return name;
  const types = typeof type === "string" ? type : (type?.join(" or ") ?? "any");
  return format ? `${types} (${format})` : types;
}

/** The example of a body or answer, as text to show or send; undefined if there can be none. */
export function exampleText(media: MediaType | undefined): string | undefined {
  const given = media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
  const example = given ?? (media?.schema && sampleOf(media.schema));
  return example === undefined || typeof example === "string" ? example : JSON.stringify(example, null, 2);
}

/** A value that a schema allows, from its own examples if it has any; of an object only the required members. */
function sampleOf(schema: Schema): unknown {
  const { examples, default: standard, const: constant, enum: values, type, properties, required = [], items } = schema;
  const given = constant ?? standard ?? examples?.[0] ?? values?.[0];
  if (given !== undefined) return given;
  if (properties) {
    const members = Object.entries(properties).filter(([name]) => required.includes(name));
    return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]));
  }
  if (type === "array") return items ? [sampleOf(items)] : [];
  return type === "string" ? "" : type === "integer" || type === "number" ? 1 : undefined;
}
