import type { ButtonProps, PasswordInputProps } from "@mantine/core";
import { Button, Group, Loader, PasswordInput, Stack, Text } from "@mantine/core";
import { type ChangeEvent, type ReactNode, type Ref, type SubmitEvent, type SyntheticEvent, useState } from "react";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "#contract/limits.ts";
import { type ChangeOptions, useChange } from "../api/asking.ts";
import { shownFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { sentence } from "../text/sentence.ts";
import { Action } from "./action.tsx";
import { FailureNotice } from "./failure-notice.tsx";

type Problems<Values> = Partial<Record<keyof Values, string>>;

export interface FormOptions<Values, Answer> extends ChangeOptions<Answer, Values> {
  /** The fields before anything is typed. A field that was not touched follows them when they change. */
  readonly initial: Values;
  /** The version of what the initial fields show. The one over which the reader types is kept with what is typed. */
  readonly version?: string | undefined;
  /**
   * Sends the fields; `changed` has those that differ from the initial ones, `over` the version over which they were
   * typed. A refusal that names one of them stands at that field.
   */
  readonly send: (service: ServiceClient, values: Values, changed: Partial<Values>, over?: string) => Promise<Answer>;
  /** Problems that keep the form from being sent, by the field at which each is shown. `shown` has those of the last try. */
  readonly check?: (values: Values, shown: Problems<Values>) => Problems<Values>;
  /** The form survives a reload of the page under this name, but not the closing of the tab. Not for secrets. */
  readonly draft?: string;
  /** The form starts again with the initial fields once it was sent. What was typed since then stays. */
  readonly restarts?: boolean;
  /** Closes the form once it was sent, unless the reader has closed it before and is elsewhere. */
  readonly close?: () => void;
  /** The field that gets the focus once it was sent. */
  readonly next?: keyof Values;
  /** The field that gets the focus after a refusal. */
  readonly again?: keyof Values;
}

export function useForm<Values extends object, Answer>(options: FormOptions<Values, Answer>) {
  const { initial, version, send, check, draft, restarts, close, next, again, done, changes } = options;
  const key = `draft:${draft}`;
  const [{ typed, over }, setDraft] = useState<Draft<Values>>(() => readDraft(key));
  const [problems, setProblems] = useState<Problems<Values>>({});
  const values = { ...initial, ...typed };
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(initial[name as keyof Values]);
  const differing = (some: Partial<Values>) =>
    Object.fromEntries(Object.entries(some).filter(differs)) as Partial<Values>;
  const changed = differing(typed);
  const isChanged = Object.keys(changed).length > 0;
  const keep = (kept: Draft<Values>): Draft<Values> => {
    if (draft !== undefined) sessionStorage.setItem(key, JSON.stringify({ ...kept.typed, [OVER]: kept.over }));
    return kept;
  };
  const sending = useChange((service, sent: Values) => send(service, sent, changed, over), {
    changes,
    done: (answer, renewed, sent) => {
      const later = Object.entries(typed).filter(([name, value]) => value !== sent[name as keyof Values]);
      if (later.length === 0) sessionStorage.removeItem(key);
      if (restarts) setDraft({ typed: Object.fromEntries(later) as Partial<Values> });
      return done?.(answer, renewed, sent);
    },
  });
  const refused = refusedField(sending.error, values);
  const solve = (names: readonly string[]) => {
    if (refused && names.includes(refused.name)) sending.reset();
    setProblems((before) => ({ ...before, ...Object.fromEntries(names.map((name) => [name, undefined])) }));
  };
  /** Problems that the browser finds are shown at their fields, like all others, and in no bubble of the browser's own. */
  const invalid = (event: SyntheticEvent<HTMLFormElement>) => {
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || !(target.name in values)) return;
    event.preventDefault();
    if (sending.isError) sending.reset();
    if (event.currentTarget.querySelector("input:invalid") === target) target.focus();
    setProblems((before) => ({ ...before, [target.name]: problemOf(target) }));
  };
  const change = (part: Partial<Values>) => {
    if (sending.isSuccess) sending.reset();
    solve(Object.keys(part));
    setDraft((before) => {
      // A field that has its initial text again is as good as not touched.
      const wasChanged = Object.keys(differing(before.typed)).length > 0;
      return keep({ typed: differing({ ...before.typed, ...part }), over: wasChanged ? before.over : version });
    });
  };
  const errorOf = (name: keyof Values & string, label: string) =>
    refused?.name === name ? sentence(label + refused.rest) : problems[name];
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    event.stopPropagation();
    if (sending.isPending) return;
    if (sending.isError) sending.reset();
    const form = event.currentTarget;
    const fieldOf = (name: unknown) => form.querySelector<HTMLInputElement>(`[name="${name}"]`);
    // Password managers may have filled a field without a word.
    const sent = { ...values, ...namedFields(form, values) };
    const found = check?.(sent, problems) ?? {};
    setProblems(found);
    const [first] = Object.keys(found);
    if (first !== undefined) return fieldOf(first)?.focus();
    const focused = document.activeElement;
    const hasMoved = () => ![focused, document.body].includes(document.activeElement);
    sending.mutate(sent, {
      onSuccess: () => {
        if (!hasMoved()) fieldOf(next)?.focus();
        close?.();
      },
      onError: () => {
        if (hasMoved()) return;
        fieldOf(again)?.focus();
        fieldOf(again)?.select();
      },
    });
  };
  return {
    ...sending,
    values,
    isChanged,
    /** True if what the fields show has another version than that over which the reader has typed. */
    isOvertaken: isChanged && over !== version,
    /** Goes on with what was typed over the present version. */
    keepTyped: () => setDraft((before) => keep({ ...before, over: version })),
    problems,
    change,
    submit,
    invalid,
    restart: () => {
      sessionStorage.removeItem(key);
      setDraft({ typed: {} });
      sending.reset();
    },
    /** The failure that stands at no field. */
    failure: refused ? null : sending.error,
    /** The properties of a field whose text is kept in the page alone, such as a password. */
    secret: (name: keyof Values & string, label: string) => ({
      name: name as string,
      label,
      error: errorOf(name, label),
      onChange: () => solve([name]),
    }),
    field: (name: keyof Values & string, label: string) => ({
      name: name as string,
      label,
      autoComplete: "off",
      value: String(values[name] ?? ""),
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) =>
        change({ [name]: currentTarget.value } as Partial<Values>),
      error: errorOf(name, label),
    }),
    choice: <Name extends keyof Values & string>(name: Name, label: string) => ({
      label,
      value: values[name],
      onChange: (value: Values[Name]) => change(memberOf<Values, Name>(name, value)),
      error: errorOf(name, label),
    }),
    checkbox: (name: keyof Values & string, label: string) => ({
      label,
      checked: values[name] === true,
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) =>
        change({ [name]: currentTarget.checked } as Partial<Values>),
    }),
  };
}

function memberOf<Values, Name extends keyof Values>(name: Name, value: Values[Name]): Partial<Values> {
  const member: Partial<Values> = {};
  member[name] = value;
  return member;
}

export type FormFields<Values extends object> = Pick<
  ReturnType<typeof useForm<Values, unknown>>,
  "values" | "field" | "choice" | "checkbox" | "change"
>;

export type SentForm = Pick<
  ReturnType<typeof useForm<object, unknown>>,
  "failure" | "isPending" | "isSuccess" | "submit" | "invalid" | "restart"
>;

function problemOf({ type, minLength, validity, validationMessage }: HTMLInputElement): string {
  if (validity.valueMissing || validity.patternMismatch) return "Fill in this field.";
  if (validity.tooShort) return `Enter at least ${minLength} characters.`;
  if (!validity.typeMismatch) return validationMessage;
  return type === "email"
    ? "Enter an e-mail address, such as name@example.com."
    : "Enter a whole address, such as https://shop.example.com/plants.";
}

interface Draft<Values> {
  readonly typed: Partial<Values>;
  readonly over?: string | undefined;
}

/** The member of a stored draft that has its version; no field has this name. */
const OVER = "@version";

/** True if something was typed into the form of that draft, and neither sent nor discarded. */
export function hasDraft(draft: string): boolean {
  return Object.keys(readDraft(`draft:${draft}`).typed).length > 0;
}

export function discardDraft(draft: string): void {
  sessionStorage.removeItem(`draft:${draft}`);
}

function readDraft<Values>(key: string): Draft<Values> {
  try {
    const { [OVER]: over, ...typed } = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return { typed, over };
  } catch {
    return { typed: {} };
  }
}

/** The fields of one line as they stand in the page. A value that is no text, such as null, is not that of its field. */
function namedFields(form: HTMLFormElement, values: object): Record<string, string> {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement);
  return Object.fromEntries(
    inputs.filter(({ name }) => typeof Reflect.get(values, name) === "string").map(({ name, value }) => [name, value]),
  );
}

const ABOUT_A_FIELD = new Set<number | undefined>([
  ERROR_NUMBERS["member-invalid"],
  ERROR_NUMBERS["body-not-a-plant"],
  ERROR_NUMBERS["id-taken"],
]);

/** The field that a refusal names, as in `The member "url" must be …` or `The id 7 is …`, and what the refusal says of it. */
function refusedField(cause: unknown, values: object): { readonly name: string; readonly rest: string } | undefined {
  if (cause === null) return undefined;
  const { error, message } = shownFailure(cause);
  const [, name = "", rest = ""] = /"(\w+)"(.*)/s.exec(message) ?? /^The (\w+)( .*)/s.exec(message) ?? [];
  const value: unknown = Reflect.get(values, name);
  const isShown = ABOUT_A_FIELD.has(error) && (typeof value === "string" || value === null);
  return isShown ? { name, rest } : undefined;
}

interface FormProps extends Pick<ButtonProps, "color" | "disabled" | "variant" | "fullWidth" | "size"> {
  readonly form: SentForm;
  readonly label: ReactNode;
  readonly failure?: string;
  /** Shows a Cancel button, which closes the dialog and forgets what was typed. */
  readonly onCancel?: () => void;
  readonly notice?: ReactNode;
  /** A button opposite to the one that sends the form, in place of the one to cancel. */
  readonly aside?: ReactNode;
  readonly remark?: ReactNode;
  readonly saved?: string;
  readonly maw?: number;
  readonly children?: ReactNode;
}

export function Form({ form, label, failure, onCancel, notice, aside, remark, saved, maw, ...props }: FormProps) {
  const { children, ...button } = props;
  const cancel = () => {
    form.restart();
    onCancel?.();
  };
  return (
    <form onSubmit={form.submit} onInvalidCapture={form.invalid}>
      <Stack maw={maw}>
        {children}
        {notice ?? <FailureNotice cause={form.failure} title={failure} />}
        <Group justify={onCancel ? "flex-end" : aside ? "space-between" : undefined}>
          {onCancel && <Action label="Cancel" onClick={cancel} data-autofocus={button.color === "red" || undefined} />}
          {aside}
          {/* While waiting it keeps the focus, which a disabled button would lose. */}
          <Button
            {...button}
            type="submit"
            aria-disabled={form.isPending || undefined}
            leftSection={
              form.isPending && <Loader size={14} color="currentColor" className="late" aria-hidden="true" />
            }
          >
            {label}
          </Button>
          {remark && <Text variant="remark">{remark}</Text>}
          {saved && <Saved when={form.isSuccess} what={saved} />}
        </Group>
      </Stack>
    </form>
  );
}

/** The rules of a field for a name, which is not blank. */
export function nameRules(maxLength: number) {
  return { maxLength, pattern: ".*\\S.*", required: true };
}

export const EMAIL_RULES = { type: "email", maxLength: EMAIL_LENGTH_MAX, required: true };

/** Tells a password manager whose password the form is about. */
export function PasswordOwner({ email, ref }: { readonly email: string; readonly ref?: Ref<HTMLInputElement> }) {
  return <input ref={ref} type="hidden" name="username" autoComplete="username" value={email} readOnly />;
}

export function NewPassword(props: Pick<PasswordInputProps, "name" | "label" | "error" | "onChange" | "autoFocus">) {
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

export function Saved({ when, what }: { readonly when: boolean; readonly what: string }) {
  return (
    <Text size="sm" role="status" c="var(--mantine-color-leaf-light-color)">
      {when ? what : ""}
    </Text>
  );
}
