import { NativeSelect, TextInput } from "@mantine/core";
import { useService } from "../program/page-context.tsx";
import { EXPIRY_CHOICES } from "./token-expiry.ts";

interface TokenExpiryFieldProps {
  readonly label?: string;
  readonly expiry: string;
  readonly date: string;
  readonly onChange: (change: { expiry?: string; date?: string }) => void;
  /** Choices before the usual ones. */
  readonly before?: readonly { readonly value: string; readonly label: string }[];
}

/** The expiry of a token: after a time, on a date, or never. */
export function TokenExpiryField({ label = "Expires", expiry, date, onChange, before = [] }: TokenExpiryFieldProps) {
  const { clock } = useService();
  return (
    <>
      <NativeSelect
        label={label}
        data={[...before, ...EXPIRY_CHOICES]}
        value={expiry}
        onChange={(event) => onChange({ expiry: event.currentTarget.value })}
      />
      {expiry === "date" && (
        <TextInput
          type="date"
          label="Last day"
          min={dayOf(clock.now())}
          value={date}
          onChange={(event) => onChange({ date: event.currentTarget.value })}
          required
        />
      )}
    </>
  );
}

/** The reader's own day, in the format of date fields. */
function dayOf(ms: number): string {
  const day = new Date(ms);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
