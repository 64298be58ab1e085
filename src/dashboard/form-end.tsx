import { Button, Group } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { FailureNotice } from "./failure-notice.tsx";

interface FormEndProps {
  /** What the form does. */
  readonly mutation: Pick<UseMutationResult<unknown, unknown, never>, "error" | "isPending">;
  /** What stands on its button, as in "Make the token". */
  readonly label: string;
  /** What did not work if it fails, as in "Cannot make the token". */
  readonly failure?: string;
  readonly onCancel: () => void;
  readonly color?: string;
  readonly disabled?: boolean;
}

/** The end of a form in a dialog: why it failed, if it did, a way out, and the button that sends it. */
export function FormEnd({ mutation, label, failure, onCancel, color, disabled }: FormEndProps) {
  return (
    <>
      <FailureNotice cause={mutation.error} title={failure} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" color={color} loading={mutation.isPending} disabled={disabled}>
          {label}
        </Button>
      </Group>
    </>
  );
}
