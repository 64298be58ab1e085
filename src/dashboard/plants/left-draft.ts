import { useEffect } from "react";
import { hasDraft } from "../components/form.tsx";
import { usePage } from "../program/page-context.tsx";

/** Tells the page of a draft that stays behind when its form is closed. */
export function useLeftDraft(draft: string, text: string, address: string): void {
  const { leftDraft } = usePage();
  useEffect(() => {
    if (leftDraft.get()?.draft === draft) leftDraft.set(undefined);
    return () => {
      if (hasDraft(draft)) leftDraft.set({ draft, text, address });
    };
  }, [leftDraft, draft, text, address]);
}
