import { PasswordInput, type PasswordInputProps } from "@mantine/core";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "#contract/limits.ts";

/** The field for a new password, with its minimum and maximum length. */
export function NewPassword(props: Pick<PasswordInputProps, "name" | "label" | "autoFocus">) {
  return (
    <PasswordInput
      {...props}
      description={`At least ${PASSWORD_LENGTH_MIN} characters`}
      autoComplete="new-password"
      minLength={PASSWORD_LENGTH_MIN}
      maxLength={PASSWORD_LENGTH_MAX}
      required
    />
  );
}
