import { useCallback, useState } from "react";

/**
 * What is being typed into a form, kept for a reload of the page and no longer than the browser's tab. Never for
 * passwords and secrets.
 */
export function useDraft<Form extends object>(name: string, initial: Form) {
  const key = `draft:${name}`;
  const [form, setForm] = useState<Form>(() => ({ ...initial, ...read(key) }));
  const change = useCallback(
    (part: Partial<Form>) =>
      setForm((before) => {
        const after = { ...before, ...part };
        sessionStorage.setItem(key, JSON.stringify(after));
        return after;
      }),
    [key],
  );
  const clear = useCallback(() => sessionStorage.removeItem(key), [key]);
  return { form, change, clear };
}

function read(key: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}
