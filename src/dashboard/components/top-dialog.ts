import { useEffect, useState } from "react";
import { useSignal } from "../api/signal.ts";
import { usePage } from "../program/page-context.tsx";

/** Returns true for the open dialog above all others. Escape closes that one; the library would close all of them. */
export function useIsTopDialog(opened: boolean): boolean {
  const { dialogs } = usePage();
  const [id] = useState(() => Symbol("dialog"));
  useEffect(() => {
    if (!opened) return;
    dialogs.set([...dialogs.get(), id]);
    return () => dialogs.set(dialogs.get().filter((each) => each !== id));
  }, [dialogs, id, opened]);
  return useSignal(dialogs).at(-1) === id;
}
