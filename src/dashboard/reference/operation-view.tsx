import { Anchor, Badge, Code, Group, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import { memo, type ReactNode } from "react";
import { CopyButton } from "../components/copy-button.tsx";
import { InlineText, inline, MarkedText } from "./marked-text.tsx";
import { type Answer, exampleText, needsToken, type Operation } from "./openapi.ts";
import { Member, SchemaView } from "./schema-view.tsx";
import { TryOperation } from "./try-operation.tsx";

export const OperationView = memo(function OperationView({ operation }: { readonly operation: Operation }) {
  const { operationId: id, method, path, isWebhook, summary, description, parameters, requestBody } = operation;
  return (
    <section className="operation" id={id} aria-labelledby={`${id}-title`}>
      <Stack gap="md" miw={0}>
        <div>
          <Title order={3} size="h2" id={`${id}-title`} className="operation-title">
            {summary}{" "}
            <Anchor href={`#${id}`} c="dimmed" className="permalink" aria-label={`Link to ${summary}`}>
              #
            </Anchor>
          </Title>
          <Group gap={8} mt={4} wrap="nowrap">
            <Method method={method} /> <Code className="breaks">{path}</Code>
          </Group>
        </div>
        {description && <MarkedText text={description} />}
        {!needsToken(operation) && !isWebhook && <Text size="sm">No token is needed.</Text>}
        {parameters.length > 0 && (
          <Part title="Parameters">
            <ul className="members">
              {parameters.map(({ in: where, name, schema, required = false, description }) => (
                <li key={`${where} ${name}`}>
                  <Member
                    name={name}
                    schema={description ? { ...schema, description } : schema}
                    required={required}
                    // The members of a parameter's type are never shown.
                    depth={Number.POSITIVE_INFINITY}
                  />
                </li>
              ))}
            </ul>
          </Part>
        )}
        {requestBody && (
          <Part title="Body">
            <Content content={requestBody.content} />
          </Part>
        )}
        <Part title={isWebhook ? "Your answer" : "Answers"}>
          <ul className="members">
            {Object.entries(operation.responses).map(([status, answer]) => (
              <li key={status}>
                <AnswerView status={status} answer={answer} errors={errorsOf(operation, status)} />
              </li>
            ))}
          </ul>
        </Part>
      </Stack>
      <div className="operation-side">
        {isWebhook ? <Payload operation={operation} /> : <TryOperation operation={operation} />}
      </div>
    </section>
  );
});

function Payload({ operation: { path, requestBody } }: { readonly operation: Operation }) {
  const text = exampleText(requestBody?.content["application/json"]) ?? "";
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm">
          The body of <Code>{path}</Code>
        </Text>
        <CopyButton value={text} what="body" compact />
      </Group>
      <pre translate="no" className="code-block">
        {text}
      </pre>
    </Stack>
  );
}

/** The errors that come with that status; with "default" those of all statuses that are not named. */
function errorsOf({ "x-error-numbers": errors = [], responses }: Operation, status: string): number[] {
  const statusOf = (error: number) => String(Math.floor(error / 100));
  return errors.filter((error) => (statusOf(error) in responses ? statusOf(error) : "default") === status);
}

const COLORS = { GET: "gray", POST: "leaf", PUT: "yellow", PATCH: "yellow", DELETE: "red" } as const;

export function Method({ method, size }: { readonly method: Operation["method"]; readonly size?: "xs" }) {
  return (
    <Badge translate="no" color={COLORS[method]} size={size} flex="none" ff="monospace">
      {method}
    </Badge>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={4}>{title}</Title>
      {children}
    </Stack>
  );
}

function Content({ content, examples }: Pick<Answer, "content"> & { readonly examples?: boolean }) {
  return Object.entries(content ?? {}).map(([mediaType, media]) => (
    <Stack key={mediaType} gap={6}>
      <Text variant="remark">
        <Code>{mediaType}</Code>
      </Text>
      {media.schema && <SchemaView schema={media.schema} />}
      {examples && exampleText(media) !== undefined && (
        <pre translate="no" className="code-block">
          {exampleText(media)}
        </pre>
      )}
    </Stack>
  ));
}

interface AnswerViewProps {
  readonly status: string;
  readonly answer: Answer;
  readonly errors: readonly number[];
}

function AnswerView({ status, answer, errors }: AnswerViewProps) {
  const types = Object.keys(answer.content ?? {});
  const headers = Object.keys(answer.headers ?? {});
  return (
    <Stack gap={2}>
      <Text size="sm" className="breaks">
        <Code>{status === "default" ? "4xx, 5xx" : status}</Code> {inline(answer.description)}
      </Text>
      {errors.length > 0 && <InlineText text={`Its errors: ${errors.join(", ")}`} />}
      {(types.length > 0 || headers.length > 0) && (
        <details className="nested">
          <summary>
            {types.join(", ") || "Headers"}
            <VisuallyHidden> of the answer {status}</VisuallyHidden>
          </summary>
          <Stack gap="sm">
            <Content content={answer.content} examples />
            {headers.length > 0 && (
              <Text variant="remark" className="breaks">
                Headers: {headers.join(", ")}
              </Text>
            )}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
