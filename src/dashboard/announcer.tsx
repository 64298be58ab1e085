import { VisuallyHidden } from "@mantine/core";
import { usePage } from "./page-context.tsx";
import { useSignal } from "./signal.ts";

export function Announcer() {
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {useSignal(usePage().announcements.current)}
    </VisuallyHidden>
  );
}

export function useAnnounce(): (text: string) => void {
  return usePage().announcements.say;
}
