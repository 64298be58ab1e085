import { Button, Group } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { FailureNotice } from "./failure-notice.tsx";
import { SubmitButton } from "./submit-button.tsx";

interface FormEndProps {
  readonly mutation: Pick<UseMutationResult<unknown, unknown, never>, "error" | "isPending">;
  /** The text of its button, as in "Create token". */
  readonly label: string;
  /** The title of its failure, as in "The token could not be created". */
  readonly failure?: string;
  readonly onCancel: () => void;
  readonly color?: string;
  readonly disabled?: boolean;
}

/** The end of a form in a dialog: its failure, a button to cancel, and the button that sends it. */
export function FormEnd({ mutation, label, failure, onCancel, color, disabled }: FormEndProps) {
  return (
    <>
      <FailureNotice cause={mutation.error} title={failure} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton color={color} pending={mutation.isPending} disabled={disabled}>
          {label}
        </SubmitButton>
      </Group>
    </>
  );
}
