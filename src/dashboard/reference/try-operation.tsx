import { Badge, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useSignal } from "../api/signal.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { usePage } from "../program/page-context.tsx";
import { useSessionIfAny } from "../session/session.ts";
import { indentedJson } from "./json-text.ts";
import { type OpenApiDocument, type Operation, type Parameter, resolved, type Schema } from "./openapi.ts";
import { emptyForm, preparedRequest, type RequestForm, requestExamples } from "./request.ts";
import { type SentAnswer, sendOnce } from "./send.ts";

const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

interface TryOperationProps {
  readonly document: OpenApiDocument;
  readonly operation: Operation;
}

/** Examples of an operation, which follow the form below them, and the button that sends the request. */
export function TryOperation({ document, operation }: TryOperationProps) {
  const { service, madeToken } = usePage();
  const made = useSignal(madeToken);
  const signedIn = useSessionIfAny() !== undefined;
  const [open, setOpen] = useState(false);
  const [form, setForm] = useState<RequestForm>(() => emptyForm(document, operation));
  const [typedToken, setTypedToken] = useState("");
  const request = preparedRequest(operation, form);
  const send = useMutation({
    mutationFn: async () => {
      const token = typedToken.trim() || made || (signedIn ? await service.accessToken() : "");
      return sendOnce(service, token || TOKEN_PLACEHOLDER, request);
    },
    gcTime: 0,
  });
  const shownToken = typedToken.trim() || made || TOKEN_PLACEHOLDER;
  return (
    <Stack gap="sm">
      <ExampleBlock
        examples={requestExamples(service.origin, operation.needsToken ? shownToken : undefined, request)}
      />
      {!open && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setOpen(true)}>
            Try it<span className="visually-hidden"> {operation.summary}</span>
          </Button>
        </Group>
      )}
      {open && (
        <form
          className="try"
          onSubmit={(event) => {
            event.preventDefault();
            send.mutate();
          }}
        >
          <Stack gap="sm">
            {operation.parameters.map((parameter) => (
              <ParameterField
                key={`${parameter.in} ${parameter.name}`}
                document={document}
                parameter={parameter}
                value={form.parameters[parameter.name] ?? ""}
                onChange={(value) => setForm({ ...form, parameters: { ...form.parameters, [parameter.name]: value } })}
              />
            ))}
            {operation.body && <BodyFields operation={operation} form={form} onChange={setForm} />}
            {operation.needsToken && (
              <TextInput
                label="Token"
                description={tokenSource(made, signedIn)}
                value={typedToken}
                onChange={(event) => setTypedToken(event.currentTarget.value)}
                required={!made && !signedIn}
                autoComplete="off"
                spellCheck={false}
                className="mono-input"
              />
            )}
            <Group>
              <SubmitButton
                pending={send.isPending}
                size="xs"
                color={operation.method === "DELETE" ? "red" : undefined}
              >
                Send {operation.method}
              </SubmitButton>
              {operation.method !== "GET" && signedIn && (
                <Text size="sm" c="dimmed">
                  This changes your own plants.
                </Text>
              )}
            </Group>
            <FailureNotice cause={send.error} title="No answer came" />
            {send.data && <Answer answer={send.data} />}
          </Stack>
        </form>
      )}
    </Stack>
  );
}

function tokenSource(made: string | undefined, signedIn: boolean): string {
  if (made) return "Empty: the token that you created in this tab.";
  return signedIn ? "Empty: a token of your session, for this page alone." : "It stays in this tab and is not stored.";
}

interface ParameterFieldProps {
  readonly document: OpenApiDocument;
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ document, parameter, value, onChange }: ParameterFieldProps) {
  const { name, required } = parameter;
  const { enum: values } = resolved<Schema>(document, parameter.schema);
  const label = parameter.in === "query" ? `${name} (query)` : parameter.in === "header" ? `${name} (header)` : name;
  if (values) {
    const choices = required ? values.map(String) : ["", ...values.map(String)];
    return (
      <NativeSelect
        label={label}
        data={choices}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  return (
    <TextInput
      label={label}
      required={required}
      withAsterisk={required}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="off"
      className="mono-input"
    />
  );
}

interface BodyFieldsProps {
  readonly operation: Operation;
  readonly form: RequestForm;
  readonly onChange: (form: RequestForm) => void;
}

function BodyFields({ operation, form, onChange }: BodyFieldsProps) {
  const types = Object.keys(operation.body?.content ?? {});
  return (
    <>
      {types.length > 1 && (
        <NativeSelect
          label="Content type"
          data={types}
          value={form.mediaType}
          onChange={(event) => onChange({ ...form, mediaType: event.currentTarget.value })}
        />
      )}
      <Textarea
        label="Body"
        value={form.body}
        onChange={(event) => onChange({ ...form, body: event.currentTarget.value })}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        className="mono-input"
      />
    </>
  );
}

function Answer({ answer: { status, headers, body, ms } }: { readonly answer: SentAnswer }) {
  const shown = indentedJson(body);
  return (
    <Stack gap="xs" role="status" aria-label="Answer">
      <Group justify="space-between">
        <Group gap="xs">
          <Badge color={status < 400 ? "leaf" : "red"} variant="light" tt="none">
            {status}
          </Badge>
          <Text size="sm" c="dimmed">
            {ms} ms
          </Text>
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
