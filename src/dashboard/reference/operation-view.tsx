import { Anchor, Badge, Code, Stack, Text, Title } from "@mantine/core";
import { memo } from "react";
import { InlineText, MarkedText } from "./marked-text.tsx";
import { exampleText, type MediaType, type OpenApiDocument, type Operation, type Response } from "./openapi.ts";
import { Member, SchemaView } from "./schema-view.tsx";
import { TryOperation } from "./try-operation.tsx";

interface OperationViewProps {
  readonly document: OpenApiDocument;
  readonly operation: Operation;
}

/** One operation with its parameters, bodies and answers, and examples beside it. */
export const OperationView = memo(function OperationView({ document, operation }: OperationViewProps) {
  const { id, method, path, summary, description, needsToken } = operation;
  return (
    <section className="operation" id={id} aria-labelledby={`${id}-title`}>
      <Stack gap="md" miw={0}>
        <div>
          <Title order={3} id={`${id}-title`} className="operation-title">
            {summary}{" "}
            <Anchor href={`#${id}`} className="permalink" aria-label={`Link to ${summary}`}>
              #
            </Anchor>
          </Title>
          <Text component="div" className="address">
            <Method method={method} /> <Code className="breaks">{path}</Code>
          </Text>
        </div>
        {description && <MarkedText text={description} />}
        {!needsToken && <Text size="sm">No token is needed.</Text>}
        <Parameters document={document} operation={operation} />
        <Body document={document} operation={operation} />
        <Answers document={document} operation={operation} />
      </Stack>
      <div className="operation-side">
        <TryOperation document={document} operation={operation} />
      </div>
    </section>
  );
});

const COLORS = { GET: "gray", POST: "leaf", PATCH: "yellow", DELETE: "red" } as const;

export function Method({ method }: { readonly method: Operation["method"] }) {
  return (
    <Badge variant="light" color={COLORS[method]} radius="sm" className="method">
      {method}
    </Badge>
  );
}

function Parameters({ document, operation }: OperationViewProps) {
  const { parameters } = operation;
  if (parameters.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={4}>Parameters</Title>
      <ul className="members">
        {parameters.map((parameter) => (
          <li key={`${parameter.in} ${parameter.name}`}>
            <Member
              document={document}
              name={parameter.name}
              schema={{ ...parameter.schema, ...(parameter.description ? { description: parameter.description } : {}) }}
              required={parameter.required ?? false}
              depth={9}
            />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function Body({ document, operation: { body } }: OperationViewProps) {
  if (!body) return null;
  return (
    <Stack gap="xs">
      <Title order={4}>Body</Title>
      {Object.entries(body.content).map(([mediaType, media]) => (
        <Media key={mediaType} document={document} mediaType={mediaType} media={media} />
      ))}
    </Stack>
  );
}

interface MediaProps {
  readonly document: OpenApiDocument;
  readonly mediaType: string;
  readonly media: MediaType;
}

function Media({ document, mediaType, media }: MediaProps) {
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        <Code>{mediaType}</Code>
      </Text>
      {media.schema && <SchemaView document={document} schema={media.schema} />}
    </Stack>
  );
}

function Answers({ document, operation }: OperationViewProps) {
  return (
    <Stack gap="xs">
      <Title order={4}>Answers</Title>
      <ul className="members">
        {operation.responses.map(({ status, response }) => (
          <li key={status}>
            <AnswerView document={document} status={status} response={response} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

interface AnswerViewProps {
  readonly document: OpenApiDocument;
  readonly status: string;
  readonly response: Response;
}

function AnswerView({ document, status, response }: AnswerViewProps) {
  const content = Object.entries(response.content ?? {});
  const headers = Object.entries(response.headers ?? {});
  return (
    <Stack gap={2}>
      <Text size="sm">
        <Code>{status === "default" ? "4xx, 5xx" : status}</Code> <InlineText text={response.description} />
      </Text>
      {(content.length > 0 || headers.length > 0) && (
        <details className="nested">
          <summary>
            {content.map(([mediaType]) => mediaType).join(", ") || "Headers"}
            <span className="visually-hidden"> of the answer {status}</span>
          </summary>
          <Stack gap="sm">
            {content.map(([mediaType, media]) => (
              <Stack key={mediaType} gap={6}>
                <Media document={document} mediaType={mediaType} media={media} />
                {exampleText(document, media) !== undefined && (
                  <pre className="code-block">{exampleText(document, media)}</pre>
                )}
              </Stack>
            ))}
            {headers.length > 0 && (
              <Text size="sm" c="dimmed" className="breaks">
                Headers: {headers.map(([name]) => name).join(", ")}
              </Text>
            )}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
