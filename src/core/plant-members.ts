/**
 * The members of a plant that its client gives beside the id, in the order of columns; all are texts. Readers, both engines,
 * exports, schemas, clients and pages go through this list. `description` begins a sentence of the API's description,
 * `meaning` one of the pages and of the command line.
 */
export const PLANT_MEMBERS = [
  {
    name: "name",
    isRequired: true,
    label: "Name",
    description: "The name of the plant",
    meaning: "its name",
    example: "Monstera deliciosa",
  },
  {
    name: "tag",
    isRequired: false,
    label: "Tag",
    description: "Tag that specifies the type",
    meaning: "its type",
    example: "indoor",
  },
] as const;

type Row = (typeof PLANT_MEMBERS)[number];
export type PlantMember = Row["name"];
export type OptionalMember = Extract<Row, { readonly isRequired: false }>["name"];

export const MEMBER_NAMES: readonly PlantMember[] = PLANT_MEMBERS.map(({ name }) => name);
export const OPTIONAL_MEMBERS = PLANT_MEMBERS.filter(
  (row): row is Extract<Row, { readonly isRequired: false }> => !row.isRequired,
);
export const OPTIONAL_NAMES: readonly OptionalMember[] = OPTIONAL_MEMBERS.map(({ name }) => name);

/** The texts of a plant. An optional one is undefined if the plant has none, which is not the empty text. */
export type PlantTexts = { readonly name: string } & { readonly [Member in OptionalMember]?: string | undefined };

export const EXAMPLE_TEXTS = ofEach("example");
export const DESCRIPTIONS = ofEach("description");
export const LABELS = ofEach("label");

function ofEach(word: "example" | "description" | "label"): Readonly<Record<PlantMember, string>> {
  return Object.fromEntries(PLANT_MEMBERS.map((row) => [row.name, row[word]])) as Record<PlantMember, string>;
}

/** "name or tag", and "name and tag", for sentences. */
export const ANY_MEMBER = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(MEMBER_NAMES);
export const ALL_MEMBERS = new Intl.ListFormat("en-GB").format(MEMBER_NAMES);

/** Adds each optional member to the object, and returns it. It copies nothing, since it is on the path of every create. */
export function withOptional<Base extends object, Value>(
  base: Base,
  textOf: (member: OptionalMember) => Value,
): Base & { readonly [Member in OptionalMember]: Value } {
  const all = base as Base & Record<OptionalMember, Value>;
  for (const member of OPTIONAL_NAMES) all[member] = textOf(member) as (typeof all)[OptionalMember];
  return all;
}

/** The members alone, as far as they are there. */
export function textsOf<Texts extends { readonly [Member in PlantMember]?: unknown }>(
  record: Texts,
): Pick<Texts, keyof Texts & PlantMember> {
  const given = MEMBER_NAMES.filter((member) => record[member] !== undefined);
  return Object.fromEntries(given.map((member) => [member, record[member]])) as Pick<Texts, keyof Texts & PlantMember>;
}
