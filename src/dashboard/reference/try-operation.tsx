import { Badge, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { Form, useForm } from "../components/form.tsx";
import { PageLink } from "../components/page-link.tsx";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useSessionIfAny } from "../session/session.ts";
import { indentedJson } from "../text/json.ts";
import { requestExamples, TOKEN_PLACEHOLDER } from "../text/request-examples.ts";
import type { Operation, Parameter } from "./openapi.ts";
import { emptyForm, preparedRequest, type SentAnswer, sendOnce } from "./request.ts";

/** Examples of an operation, which follow the form below them, and the button that sends the request. */
export function TryOperation({ operation }: { readonly operation: Operation }) {
  const { service, madeToken } = usePage();
  const made = useSignal(madeToken);
  const signedIn = useSessionIfAny() !== undefined;
  const [open, setOpen] = useState(false);
  const [initial] = useState(() => ({ ...emptyForm(operation), token: "" }));
  const form = useForm({
    initial,
    send: async (service, { token: typed, ...filled }) => {
      const token = typed.trim() || made || (signedIn ? await service.accessToken() : "");
      return sendOnce(service, token || TOKEN_PLACEHOLDER, preparedRequest(operation, filled));
    },
  });
  const { parameters, token } = form.values;
  const shownToken = operation.needsToken ? token.trim() || made || TOKEN_PLACEHOLDER : undefined;
  const types = Object.keys(operation.body?.content ?? {});
  return (
    <Stack gap="sm">
      <ExampleBlock examples={requestExamples(service.origin, shownToken, preparedRequest(operation, form.values))} />
      {!open && (
        <Group>
          <Action
            size="xs"
            label={
              <>
                Try it<span className="visually-hidden"> {operation.summary}</span>
              </>
            }
            onClick={() => setOpen(true)}
          />
        </Group>
      )}
      {open && (
        <div className="try">
          <Form
            form={form}
            label={`Send ${operation.method}`}
            failure="No answer came"
            size="xs"
            color={operation.method === "DELETE" ? "red" : undefined}
            remark={operation.method !== "GET" && signedIn && "This changes your own plants."}
          >
            {operation.parameters.map((parameter) => (
              <ParameterField
                key={`${parameter.in} ${parameter.name}`}
                parameter={parameter}
                value={parameters[parameter.name] ?? ""}
                onChange={(value) => form.change({ parameters: { ...parameters, [parameter.name]: value } })}
              />
            ))}
            {types.length > 1 && <NativeSelect {...form.field("mediaType", "Content type")} data={types} />}
            {operation.body && (
              <Textarea
                {...form.field("body", "Body")}
                autosize
                minRows={3}
                maxRows={16}
                spellCheck={false}
                className="mono-input"
              />
            )}
            {operation.needsToken && (
              <TextInput
                {...form.field("token", "Token")}
                description={tokenSource(made, signedIn)}
                required={!made && !signedIn}
                spellCheck={false}
                className="mono-input"
              />
            )}
          </Form>
          {form.data && <Answer answer={form.data} logged={signedIn} />}
        </div>
      )}
    </Stack>
  );
}

function tokenSource(made: string | undefined, signedIn: boolean): string {
  if (made) return "Empty: the token that you created in this tab.";
  return signedIn ? "Empty: a token of your session, for this page alone." : "It stays in this tab and is not stored.";
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ parameter: { name, required, schema, in: where }, value, onChange }: ParameterFieldProps) {
  const props = {
    label: where === "path" ? name : `${name} (${where})`,
    value,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value),
  };
  const choices = schema.enum?.map(String);
  if (choices) return <NativeSelect {...props} data={required ? choices : ["", ...choices]} />;
  return <TextInput {...props} required={required} withAsterisk={required} autoComplete="off" className="mono-input" />;
}

interface AnswerProps {
  readonly answer: SentAnswer;
  /** True if the reader can look the request up. */
  readonly logged: boolean;
}

function Answer({ answer: { status, headers, body, ms }, logged }: AnswerProps) {
  const shown = indentedJson(body);
  const [, requestId] = headers.find(([name]) => name === "request-id") ?? [];
  return (
    <Stack gap="xs" mt="sm" role="status" aria-label="Answer">
      <Group justify="space-between">
        <Group gap="xs">
          <Badge color={status < 400 ? "leaf" : "red"}>{status}</Badge>
          <Text size="sm" c="dimmed">
            {ms} ms
          </Text>
          {logged && requestId && (
            <PageLink href={`${DEVELOPER}/requests/${requestId}`} size="sm" className="link">
              Show the request
            </PageLink>
          )}
        </Group>
        {body !== "" && <CopyButton value={shown} what="answer" compact />}
      </Group>
      <pre className="code-block answer">{body === "" ? "(empty)" : shown}</pre>
      <details className="nested">
        <summary>Headers</summary>
        <pre className="code-block">{headers.map(([name, value]) => `${name}: ${value}`).join("\n")}</pre>
      </details>
    </Stack>
  );
}
