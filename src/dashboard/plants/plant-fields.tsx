import { type ChangeEvent, type RefObject, useState } from "react";
import type { PlantTexts } from "#client/plant.ts";
import { OPTIONAL_MEMBERS, type OptionalMember, withOptional } from "#contract/plant-members.ts";
import { SuggestingInput } from "../components/filters.tsx";
import type { FormFields } from "../components/form.tsx";
import { sentence } from "../text/sentence.ts";
import { isLong, LongText, type LongTextProps } from "./long-text.tsx";
import { useTagSuggestions } from "./plants-list.ts";

/** The API accepts a blank name, but a person who leaves it blank has more likely forgotten it. */
export const BLANK = "The name is blank. Save the plant anyway?";

export function isBlank(name: string): boolean {
  return name.trim() === "";
}

/** The texts of a plant as its fields hold them; null for none. */
export type TypedTexts = { readonly name: string } & { readonly [Member in OptionalMember]: string | null };

export function typedTexts(texts: PlantTexts): TypedTexts {
  return withOptional({ name: texts.name }, (member) => texts[member] ?? null);
}

interface PlantFieldsProps {
  readonly form: Pick<FormFields<TypedTexts>, "field" | "change">;
  readonly nameField?: RefObject<HTMLTextAreaElement | null>;
}

export function PlantFields({ form, nameField }: PlantFieldsProps) {
  return (
    <>
      <LongText
        {...form.field("name", "Name")}
        onChange={(name) => form.change({ name })}
        ref={nameField}
        data-autofocus
      />
      {OPTIONAL_MEMBERS.map(({ name, label, meaning, example }) => {
        const Field = name === "tag" ? TagField : LongText;
        return (
          <Field
            key={name}
            {...form.field(name, label)}
            onChange={(text: string) => form.change({ [name]: text || null })}
            description={`${sentence(`${meaning}, for example ${example}`)} Leave it empty for none.`}
          />
        );
      })}
    </>
  );
}

/** Suggests the tags of the account. The one line of this field would drop the others of a tag that has several. */
function TagField({ onChange, ...props }: Omit<LongTextProps, "ref">) {
  const [lines] = useState(() => props.value.includes("\n") || isLong(props.value));
  const suggestions = useTagSuggestions();
  if (lines) return <LongText {...props} onChange={onChange} />;
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => onChange(currentTarget.value);
  return <SuggestingInput {...props} onChange={change} suggestions={suggestions} />;
}
