import { PasswordInput, Stack, Text } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { FormEnd } from "../form-end.tsx";
import { formValues } from "../form-values.ts";

interface PasswordFormProps<Answer> {
  readonly text: string;
  readonly label: string;
  readonly change: UseMutationResult<Answer, Error, string>;
  readonly onDone: (answer: Answer) => void;
  readonly onCancel: () => void;
}

/** What weighs enough asks for the password again. */
export function PasswordForm<Answer>({ text, label, change, onDone, onCancel }: PasswordFormProps<Answer>) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(formValues(event.currentTarget).password ?? "", { onSuccess: onDone });
      }}
    >
      <Stack>
        <Text size="sm">{text}</Text>
        <PasswordInput
          name="password"
          label="Current password"
          autoComplete="current-password"
          required
          data-autofocus
        />
        <FormEnd mutation={change} label={label} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
