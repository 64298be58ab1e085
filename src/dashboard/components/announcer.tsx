import { VisuallyHidden } from "@mantine/core";
import { useSignal } from "../api/signal.ts";
import { usePage } from "../program/page-context.tsx";

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
