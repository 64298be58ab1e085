import { Badge, Group, NativeSelect, Paper, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { Form, useForm } from "../components/form.tsx";
import { NextLink } from "../components/page-link.tsx";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useMay, useSessionIfAny } from "../session/session.ts";
import { indentedJson } from "../text/json.ts";
import { requestExamples, TOKEN_PLACEHOLDER } from "../text/request-examples.ts";
import { needsToken, type Operation, takesSession } from "./openapi.ts";
import { emptyForm, fieldOf, preparedRequest, sendBySession, sendOnce } from "./request.ts";

const MONO = { className: "mono-input", spellCheck: false };

/** Examples of an operation, which follow the form below them, and the button that sends the request. */
export function TryOperation({ operation }: { readonly operation: Operation }) {
  const { service, madeToken } = usePage();
  const made = useSignal(madeToken);
  const may = useMay();
  const signedIn = useSessionIfAny() !== undefined;
  const bySession = signedIn && takesSession(operation);
  const [open, setOpen] = useState(false);
  const [initial] = useState(() => emptyForm(operation));
  const form = useForm({
    initial,
    send: async (service, filled) => {
      const request = preparedRequest(operation, filled);
      if (!withToken) return sendOnce(service, request);
      const token = filled.token?.trim() || made;
      return token || !bySession
        ? sendOnce(service, request, token ?? TOKEN_PLACEHOLDER)
        : sendBySession(service, request);
    },
  });
  const withToken = needsToken(operation);
  const shownToken = withToken ? form.values.token?.trim() || made || TOKEN_PLACEHOLDER : undefined;
  const types = Object.keys(operation.requestBody?.content ?? {});
  return (
    <Stack gap="sm">
      <ExampleBlock examples={requestExamples(service.origin, shownToken, preparedRequest(operation, form.values))} />
      {!open && (
        <Group>
          <Action size="xs" label="Try it" aria-label={`Try it ${operation.summary}`} onClick={() => setOpen(true)} />
        </Group>
      )}
      {open && (
        <Paper withBorder p={14} style={{ borderColor: "var(--plantstore-line)" }} className="try" ref={focusFirst}>
          <Form
            form={form}
            label={`Send ${operation.method}`}
            failure="No answer came"
            size="xs"
            color={operation.method === "DELETE" ? "red" : undefined}
            remark={operation.method !== "GET" && signedIn && "This changes your own plants."}
          >
            {operation.parameters.map((parameter) => {
              const { name, in: where, required, schema } = parameter;
              const props = form.field(fieldOf(parameter), where === "path" ? name : `${name} (${where})`);
              const choices = schema.enum?.map(String);
              return choices ? (
                <NativeSelect key={props.name} {...props} data={required ? choices : ["", ...choices]} />
              ) : (
                <TextInput key={props.name} {...props} {...MONO} required={required} withAsterisk={required} />
              );
            })}
            {types.length > 1 && <NativeSelect {...form.field("mediaType", "Content type")} data={types} />}
            {operation.requestBody && (
              <Textarea {...form.field("body", "Body")} {...MONO} autosize minRows={3} maxRows={16} />
            )}
            {withToken && (
              <TextInput
                {...form.field("token", "Token")}
                {...MONO}
                description={tokenSource(made, bySession)}
                required={!made && !bySession}
              />
            )}
          </Form>
          {form.data && <Answer answer={form.data} logged={may("read requests")} />}
        </Paper>
      )}
    </Stack>
  );
}

/** The form takes the place of the button that opened it. */
function focusFirst(place: HTMLElement | null): void {
  place?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}

function tokenSource(made: string | undefined, bySession: boolean): string {
  if (made) return "Empty: the token that you created in this tab.";
  return bySession ? "Empty: your session, in the store of this page." : "It stays in this tab and is not stored.";
}

interface AnswerProps {
  readonly answer: Awaited<ReturnType<typeof sendOnce>>;
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
          <Text variant="remark">{ms} ms</Text>
          {logged && requestId && <NextLink href={`${DEVELOPER}/requests/${requestId}`}>Show the request</NextLink>}
        </Group>
        {body !== "" && <CopyButton value={shown} what="answer" compact />}
      </Group>
      <pre translate="no" className="code-block" style={{ maxHeight: 420 }}>
        {shown || "(empty)"}
      </pre>
      <details className="nested">
        <summary>Headers</summary>
        <pre translate="no" className="code-block">
          {headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
        </pre>
      </details>
    </Stack>
  );
}
