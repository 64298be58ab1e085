import { NativeSelect, TextInput } from "@mantine/core";
import { useService } from "../page-context.tsx";
import { EXPIRY_CHOICES } from "./token-expiry.ts";

interface TokenExpiryFieldProps {
  readonly expiry: string;
  readonly date: string;
  readonly onChange: (change: { expiry?: string; date?: string }) => void;
  /** Choices before the usual ones. */
  readonly before?: readonly { readonly value: string; readonly label: string }[];
}

/** When a token ends: after a time, on a date, or never. */
export function TokenExpiryField({ expiry, date, onChange, before = [] }: TokenExpiryFieldProps) {
  const { clock } = useService();
  return (
    <>
      <NativeSelect
        label="Expires"
        data={[...before, ...EXPIRY_CHOICES]}
        value={expiry}
        onChange={(event) => onChange({ expiry: event.currentTarget.value })}
      />
      {expiry === "date" && (
        <TextInput
          type="date"
          label="Last day"
          min={new Date(clock.now()).toISOString().slice(0, 10)}
          value={date}
          onChange={(event) => onChange({ date: event.currentTarget.value })}
          required
        />
      )}
    </>
  );
}
