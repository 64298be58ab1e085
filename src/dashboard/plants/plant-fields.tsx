import { Textarea } from "@mantine/core";

interface PlantFieldsProps {
  readonly name: string;
  readonly tag: string;
  readonly onChange: (change: { name?: string; tag?: string }) => void;
  readonly focus?: boolean;
}

/** Text areas, since a name may have several lines, and a single-line field would silently drop them. */
export function PlantFields({ name, tag, onChange, focus = false }: PlantFieldsProps) {
  return (
    <>
      <Textarea
        label="Name"
        value={name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        autosize
        minRows={1}
        maxRows={8}
        data-autofocus={focus || undefined}
      />
      <Textarea
        label="Tag"
        description="Its type, for example indoor. Leave it empty for none."
        value={tag}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
        autosize
        minRows={1}
        maxRows={4}
      />
    </>
  );
}
