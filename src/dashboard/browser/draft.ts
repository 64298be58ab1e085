import { useCallback, useState } from "react";

/**
 * The fields of a form, which survive a reload of the page, but not the closing of the tab. Not for passwords and
 * secrets.
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
  /** Starts again with this form, of which nothing is stored until it is changed. */
  const restart = useCallback(
    (next: Form) => {
      setForm(next);
      clear();
    },
    [clear],
  );
  return { form, change, clear, restart };
}

function read(key: string): object {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}

/** The text fields of a form by name, as password managers may have filled them. */
export function formValues(form: HTMLFormElement): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) values[name] = String(value);
  return values;
}
