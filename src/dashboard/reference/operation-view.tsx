import { Anchor, Badge, Code, Group, Stack, Text, Title } from "@mantine/core";
import { memo, type ReactNode } from "react";
import { CopyButton } from "../components/copy-button.tsx";
import { InlineText, inline, MarkedText } from "./marked-text.tsx";
import { type Answer, exampleText, type MediaType, type Operation } from "./openapi.ts";
import { Member, SchemaView } from "./schema-view.tsx";
import { TryOperation } from "./try-operation.tsx";

/** The members of a parameter's type are never shown. */
const NO_DEPTH = 9;

/** One operation with its parameters, bodies and answers, and examples beside it. */
export const OperationView = memo(function OperationView({ operation }: { readonly operation: Operation }) {
  const { id, method, path, isWebhook, summary, description, needsToken, parameters, body, responses } = operation;
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
        {!needsToken && !isWebhook && <Text size="sm">No token is needed.</Text>}
        {parameters.length > 0 && (
          <Part title="Parameters">
            <ul className="members">
              {parameters.map(({ in: where, name, schema, required = false, description }) => (
                <li key={`${where} ${name}`}>
                  <Member
                    name={name}
                    schema={description ? { ...schema, description } : schema}
                    required={required}
                    depth={NO_DEPTH}
                  />
                </li>
              ))}
            </ul>
          </Part>
        )}
        {body && (
          <Part title="Body">
            {Object.entries(body.content).map(([mediaType, media]) => (
              <Media key={mediaType} mediaType={mediaType} media={media} />
            ))}
          </Part>
        )}
        <Part title={isWebhook ? "Your answer" : "Answers"}>
          <ul className="members">
            {responses.map(({ status, response }) => (
              <li key={status}>
                <AnswerView status={status} answer={response} errors={errorsOf(operation, status)} />
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

function Payload({ operation: { path, body } }: { readonly operation: Operation }) {
  const text = exampleText(body?.content["application/json"]) ?? "";
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm">
          The body of <Code>{path}</Code>
        </Text>
        <CopyButton value={text} what="body" compact />
      </Group>
      <pre className="code-block">{text}</pre>
    </Stack>
  );
}

/** The errors that come with that status; with "default" those of all statuses that are not named. */
function errorsOf({ errors, responses }: Operation, status: string): number[] {
  const statusOf = (error: number) => String(Math.floor(error / 100));
  const named = responses.map((each) => each.status);
  return errors.filter((error) =>
    status === "default" ? !named.includes(statusOf(error)) : statusOf(error) === status,
  );
}

const COLORS = { GET: "gray", POST: "leaf", PATCH: "yellow", DELETE: "red" } as const;

export function Method({ method }: { readonly method: Operation["method"] }) {
  return (
    <Badge color={COLORS[method]} radius="sm" className="method">
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

function Media({ mediaType, media }: { readonly mediaType: string; readonly media: MediaType }) {
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        <Code>{mediaType}</Code>
      </Text>
      {media.schema && <SchemaView schema={media.schema} />}
    </Stack>
  );
}

interface AnswerViewProps {
  readonly status: string;
  readonly answer: Answer;
  readonly errors: readonly number[];
}

function AnswerView({ status, answer, errors }: AnswerViewProps) {
  const content = Object.entries(answer.content ?? {});
  const headers = Object.keys(answer.headers ?? {});
  return (
    <Stack gap={2}>
      <Text size="sm" className="breaks">
        <Code>{status === "default" ? "4xx, 5xx" : status}</Code> {inline(answer.description)}
      </Text>
      {errors.length > 0 && <InlineText text={`Its errors: ${errors.join(", ")}`} />}
      {(content.length > 0 || headers.length > 0) && (
        <details className="nested">
          <summary>
            {content.map(([mediaType]) => mediaType).join(", ") || "Headers"}
            <span className="visually-hidden"> of the answer {status}</span>
          </summary>
          <Stack gap="sm">
            {content.map(([mediaType, media]) => (
              <Stack key={mediaType} gap={6}>
                <Media mediaType={mediaType} media={media} />
                {exampleText(media) !== undefined && <pre className="code-block">{exampleText(media)}</pre>}
              </Stack>
            ))}
            {headers.length > 0 && (
              <Text size="sm" c="dimmed" className="breaks">
                Headers: {headers.join(", ")}
              </Text>
            )}
          </Stack>
        </details>
      )}
    </Stack>
  );
}
