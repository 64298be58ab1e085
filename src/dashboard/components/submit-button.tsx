import { Button, type ButtonProps, Loader } from "@mantine/core";
import type { ReactNode } from "react";

interface SubmitButtonProps extends Omit<ButtonProps, "loading"> {
  /** True while the form was sent and is not answered yet. */
  readonly pending: boolean;
  readonly children: ReactNode;
}

/** Sends its form. While waiting it keeps the focus, which a disabled button would lose. */
export function SubmitButton({ pending, children, ...props }: SubmitButtonProps) {
  return (
    <Button
      {...props}
      type="submit"
      aria-disabled={pending || undefined}
      leftSection={pending ? <Loader size={14} color="currentColor" className="late" aria-hidden="true" /> : undefined}
      onClick={(event) => pending && event.preventDefault()}
    >
      {children}
    </Button>
  );
}
