import { VisuallyHidden } from "@mantine/core";
import { Signal, useSignal } from "./signal.ts";

const announced = new Signal("");

/** Says something to screen readers that others see by themselves, as in "Copied". */
export function announce(text: string): void {
  announced.set("");
  setTimeout(() => announced.set(text), 50);
}

export function Announcer() {
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {useSignal(announced)}
    </VisuallyHidden>
  );
}
