import { VisuallyHidden } from "@mantine/core";
import { useCallback } from "react";
import { useSignal } from "../api/signal.ts";
import { usePage } from "../program/page-context.tsx";

export function Announcer() {
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {useSignal(usePage().announced)}
    </VisuallyHidden>
  );
}

/** Tells screen readers of a change that others see, such as "Copied". */
export function useAnnounce(): (text: string) => void {
  const { announced } = usePage();
  return useCallback(
    (text) => {
      announced.set("");
      // Long enough for a screen reader to notice that the text was empty in between.
      setTimeout(() => announced.set(text), 50);
    },
    [announced],
  );
}
