import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { NewTokenForm, NewTokenSecret } from "#contract/dashboard/tokens.ts";
import { TOKEN_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { DAY_MS } from "#contract/timestamp.ts";
import { useAddress } from "../browser/address.ts";
import { optionsOf, Radios } from "../components/filters.tsx";
import { Form, type FormFields, nameRules, useForm } from "../components/form.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { usePage, useService } from "../program/page-context.tsx";
import { ACCESS, type Access, shownToken, TOKEN_DATA } from "./tokens.tsx";

const WEBHOOKS: NewTokenForm["scopes"] = ["webhooks:manage"];
const EMPTY = { name: "", access: "both" as Access, webhooks: false, expiry: "90", date: "" };

/** The address says that the dialog is open until there is a secret, so that a reload does not open it again. */
export function useCreateToken() {
  const [search, change] = useAddress();
  return {
    asked: search.get("make") === "token",
    open: () => change({ make: "token" }),
    close: () => change({ make: undefined }, { replace: true }),
  };
}

export function CreateToken() {
  const { madeToken } = usePage();
  const { asked, close } = useCreateToken();
  const form = useForm({
    draft: "new-token",
    initial: EMPTY,
    send: (service, { name, access, webhooks, ...expiry }) => {
      const scopes: NewTokenForm["scopes"] = [...ACCESS[access].scopes, ...(webhooks ? WEBHOOKS : [])];
      const expires_at = expiryTime(expiry, service.clock.now());
      return service.api<NewTokenSecret>("POST", "/tokens", { name: name.trim(), scopes, expires_at }, "recent");
    },
    changes: TOKEN_DATA,
    done: ({ secret }) => madeToken.set(secret),
    close,
  });
  if (!asked && !form.data) return null;
  const leave = () => {
    if (form.data) form.restart();
    if (asked) close();
  };
  return (
    <SecretDialog title="Create token" secret={form.data && shownToken(form.data.secret)} onClose={leave}>
      <Form form={form} label="Create token" failure="The token could not be created" onCancel={close}>
        <TextInput
          {...form.field("name", "Name")}
          description="The program that will use it"
          placeholder="Greenhouse import"
          {...nameRules(TOKEN_NAME_LENGTH_MAX)}
          data-autofocus
        />
        <Radios {...form.choice("access", "Access")} choices={ACCESS} />
        <Checkbox
          {...form.checkbox("webhooks", "Manage webhooks")}
          description="Changes and removes webhook endpoints; with read access also adds them, changes their addresses and replays events"
        />
        <TokenExpiryField form={form} />
      </Form>
    </SecretDialog>
  );
}

const CHOICES = {
  "7": "In 7 days",
  "30": "In 30 days",
  "90": "In 90 days",
  "365": "In a year",
  never: "Never",
  date: "Custom date",
};

/** The choice of when a token ends: a number of days, "never", or "date" for the end of a day such as 2026-12-31. */
export interface TokenExpiry {
  readonly expiry: string;
  readonly date: string;
}

/** Returns RFC 3339, or null for never. A date means the end of that day in the reader's zone. Throws if it is past. */
export function expiryTime({ expiry, date }: TokenExpiry, now: number): string | null {
  if (expiry === "never") return null;
  if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  if (Number.isNaN(end.getTime()) || end.getTime() <= now) throw new RangeError("Choose a date in the future");
  return end.toISOString();
}

interface TokenExpiryFieldProps {
  readonly form: FormFields<TokenExpiry>;
  readonly label?: string;
  readonly before?: Readonly<Record<string, string>>;
}

export function TokenExpiryField({ form, label = "Expires", before }: TokenExpiryFieldProps) {
  // The reader's own day, in the format of date fields: Swedish writes dates as ISO 8601 does.
  const today = new Intl.DateTimeFormat("sv-SE").format(useService().clock.now());
  return (
    <>
      <NativeSelect {...form.field("expiry", label)} data={[...optionsOf(before ?? {}), ...optionsOf(CHOICES)]} />
      {form.values.expiry === "date" && (
        <TextInput {...form.field("date", "Last day")} type="date" min={today} required />
      )}
    </>
  );
}
