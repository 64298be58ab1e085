import { Code, Stack, Text } from "@mantine/core";
import { InlineText } from "./marked-text.tsx";
import { type Schema, schemaName, typeOf } from "./openapi.ts";

interface SchemaViewProps {
  readonly schema: Schema;
  readonly depth?: number;
}

/** The members of an object, or of the objects in a list. Those of nested objects can be folded open. */
export function SchemaView({ schema, depth = 0 }: SchemaViewProps) {
  const { type, items, properties, description, required = [] } = schema;
  if (type === "array" && items) return <SchemaView schema={items} depth={depth} />;
  if (!properties) return description ? <InlineText text={description} /> : null;
  return (
    <ul className="members">
      {Object.entries(properties).map(([name, member]) => (
        <li key={name}>
          <Member name={name} schema={member} required={required.includes(name)} depth={depth} />
        </li>
      ))}
    </ul>
  );
}

interface MemberProps extends Required<SchemaViewProps> {
  readonly name: string;
  readonly required: boolean;
}

export function Member({ name, schema, required, depth }: MemberProps) {
  const nested = schema.type === "array" && schema.items ? schema.items : schema;
  const { minimum, maximum, default: standard, enum: values, description } = schema;
  const limits = [
    values && `One of ${values.map(String).join(", ")}`,
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}`,
    standard !== undefined && `By default ${String(standard)}`,
  ].filter(Boolean);
  return (
    <Stack gap={2}>
      <Text size="sm">
        <Code>{name}</Code>{" "}
        <Text span size="xs" c="dimmed">
          {typeOf(schema)}
        </Text>
        {required && (
          <Text span size="xs" ml={8} c="var(--mantine-color-yellow-light-color)">
            required
          </Text>
        )}
      </Text>
      {description && <InlineText text={description} c="dimmed" />}
      {limits.length > 0 && <InlineText text={`${limits.join(". ")}.`} c="dimmed" />}
      {nested.properties && depth < 3 && (
        <details className="nested">
          <summary>Members of {schemaName(nested) ?? name}</summary>
          <SchemaView schema={nested} depth={depth + 1} />
        </details>
      )}
    </Stack>
  );
}
