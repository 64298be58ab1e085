import { type ChangeEvent, type RefObject, useState } from "react";
import { SuggestingInput } from "../components/filters.tsx";
import type { FormFields } from "../components/form.tsx";
import { isLong, LongText, type LongTextProps } from "./long-text.tsx";
import { useTagSuggestions } from "./plants-list.ts";

/** The API accepts a blank name, but a person who leaves it blank has more likely forgotten it. */
export const BLANK = "The name is blank. Save the plant anyway?";

export function isBlank(name: string): boolean {
  return name.trim() === "";
}

interface PlantFieldsProps {
  readonly form: Pick<FormFields<{ name: string; tag: string | null }>, "field" | "change">;
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
      <TagField
        {...form.field("tag", "Tag")}
        onChange={(tag) => form.change({ tag: tag || null })}
        description="Its type, for example indoor. Leave it empty for none."
      />
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
