import { Alert, Box, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { saveFile } from "../browser/save-file.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { capitalized } from "../text/sentence.ts";
import { Action } from "./action.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

export interface ShownSecret {
  /** The name of the secret, as in "token". */
  readonly what: string;
  readonly title: string;
  readonly warning: string;
  /** One secret, or several lines of them. */
  readonly values: readonly string[];
  readonly picture?: ReactNode;
  readonly file: { readonly name: string; readonly content: string };
}

interface SecretDialogProps {
  readonly title: ReactNode;
  /** Shown in place of `children` once there is one. */
  readonly secret: ShownSecret | undefined;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/**
 * A form that ends with a secret, which is shown once and takes the focus. Closing it, or leaving the page, asks first until
 * the secret was copied or saved.
 */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  const [step, setStep] = useState<"shown" | "asking" | "kept">("shown");
  const unkept = secret !== undefined && step !== "kept";
  useStayQuestion(unkept);
  const leave = () => (unkept ? setStep("asking") : onClose());
  return (
    <Dialog onClose={leave} title={secret?.title ?? title} closeOnClickOutside={false}>
      {!secret && children}
      {secret && step !== "asking" && (
        <SecretOnce secret={secret} kept={step === "kept"} onKept={() => setStep("kept")} onDone={leave} />
      )}
      {secret && step === "asking" && (
        <Stack role="alert">
          <Text>You have not copied the {secret.what} yet, and it is not shown again. Close anyway?</Text>
          <Group justify="flex-end">
            <Action label="Close without copying" onClick={onClose} />
            <Action kind="main" label="Show it again" onClick={() => setStep("shown")} data-autofocus autoFocus />
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

interface SecretOnceProps {
  readonly secret: ShownSecret;
  readonly kept: boolean;
  readonly onKept: () => void;
  readonly onDone: () => void;
}

function SecretOnce({ secret: { what, warning, values, picture, file }, kept, onKept, onDone }: SecretOnceProps) {
  const download = () => {
    saveFile(file.content, file.name, "text/plain");
    onKept();
  };
  const [value = "", ...others] = values;
  return (
    <Stack>
      <Alert color="yellow">{warning}</Alert>
      {others.length > 0 ? (
        <Box
          component="ul"
          translate="no"
          className="plain-list"
          ff="monospace"
          style={{ gridTemplateColumns: "1fr 1fr", gap: 6 }}
        >
          {values.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </Box>
      ) : (
        // It selects itself, for readers who copy by keyboard.
        <TextInput
          label={capitalized(what)}
          value={value}
          readOnly
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
          onClick={(event) => event.currentTarget.select()}
          onCopy={onKept}
          className="mono-input"
          autoFocus
          data-autofocus
        />
      )}
      {picture}
      <Group>
        <CopyButton value={values.join("\n")} what={what} onCopied={onKept} autoFocus={others.length > 0} />
        <Action label={file.name.endsWith(".env") ? "Download .env" : "Download"} icon="download" onClick={download} />
      </Group>
      <Group justify="space-between">
        <Text variant="remark" role="status">
          {kept ? "Saved. You can close this." : ""}
        </Text>
        <Action kind="main" label="Done" onClick={onDone} />
      </Group>
    </Stack>
  );
}
