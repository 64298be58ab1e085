import { Code, Stack, Text } from "@mantine/core";
import { InlineText } from "./marked-text.tsx";
import { type OpenApiDocument, resolved, type Schema, schemaName, typeOf } from "./openapi.ts";

const DEPTH_MAX = 3;

interface SchemaViewProps {
  readonly document: OpenApiDocument;
  readonly schema: Schema;
  readonly depth?: number;
}

/** The members of an object, or of the objects in a list. Those of nested objects can be folded open. */
export function SchemaView({ document, schema, depth = 0 }: SchemaViewProps) {
  const whole = resolved<Schema>(document, schema);
  if (whole.type === "array" && whole.items)
    return <SchemaView document={document} schema={whole.items} depth={depth} />;
  if (!whole.properties) {
    return whole.description ? (
      <Text size="sm">
        <InlineText text={whole.description} />
      </Text>
    ) : null;
  }
  return (
    <ul className="members">
      {Object.entries(whole.properties).map(([name, member]) => (
        <li key={name}>
          <Member
            document={document}
            name={name}
            schema={member}
            required={whole.required?.includes(name) ?? false}
            depth={depth}
          />
        </li>
      ))}
    </ul>
  );
}

interface MemberProps {
  readonly document: OpenApiDocument;
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly depth: number;
}

export function Member({ document, name, schema, required, depth }: MemberProps) {
  const whole = resolved<Schema>(document, schema);
  const nested = whole.type === "array" && whole.items ? whole.items : schema;
  const members = resolved<Schema>(document, nested).properties;
  return (
    <Stack gap={2}>
      <Text size="sm">
        <Code>{name}</Code> <span className="type">{typeOf(document, schema)}</span>
        {required && <span className="required">required</span>}
      </Text>
      {whole.description && (
        <Text size="sm" c="dimmed">
          <InlineText text={whole.description} />
        </Text>
      )}
      <Limits schema={whole} />
      {members && depth < DEPTH_MAX && (
        <details className="nested">
          <summary>Members of {schemaName(nested) ?? name}</summary>
          <SchemaView document={document} schema={nested} depth={depth + 1} />
        </details>
      )}
    </Stack>
  );
}

function Limits({ schema }: { readonly schema: Schema }) {
  const { minimum, maximum, default: standard, enum: values } = schema;
  const limits = [
    values && `One of ${values.map(String).join(", ")}`,
    minimum !== undefined && maximum !== undefined && `From ${minimum} to ${maximum}`,
    standard !== undefined && `By default ${String(standard)}`,
  ].filter(Boolean);
  if (limits.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" className="breaks">
      {limits.join(". ")}.
    </Text>
  );
}
