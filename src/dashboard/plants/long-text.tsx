import { Group, Input, Stack, Text, Textarea, type TextareaProps } from "@mantine/core";
import { useState } from "react";
import { Action } from "../components/action.tsx";
import { formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";

/**
 * Longer texts are not shown at once, and edited in parts of this length: a browser lays out the whole text of a field for each
 * key, which of a million characters takes half a second.
 */
const PART_LENGTH = 10_000;

export function isLong(text: string): boolean {
  return text.length > PART_LENGTH;
}

export interface LongTextProps extends Pick<TextareaProps, "name" | "label" | "description" | "error" | "ref"> {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly "data-autofocus"?: boolean;
}

/**
 * A text area, since a name may have several lines, and a single-line field would silently drop them. It grows with its
 * text. Of a long text an excerpt is shown until the whole is asked for, and of a very long one a part is edited at a time.
 */
export function LongText({ value, onChange, ...props }: LongTextProps) {
  const [whole, setWhole] = useState(!isLong(value));
  /** How many characters stand before and after the part that is edited. */
  const [{ before, after }, setRest] = useState({ before: 0, after: Math.max(0, value.length - PART_LENGTH) });
  if (!whole) {
    const label = `Edit all ${formatNumber(value.length)} characters`;
    return (
      <Input.Wrapper label={props.label} description={props.description}>
        <Stack gap="xs" align="flex-start">
          <Text translate="no" className="breaks" dir="auto" size="sm" lineClamp={4}>
            {excerpt(value)}
          </Text>
          <Action size="xs" label={label} onClick={() => setWhole(true)} data-autofocus={props["data-autofocus"]} />
        </Stack>
      </Input.Wrapper>
    );
  }
  const end = Math.max(before, value.length - after);
  const show = (from: number, to: number) =>
    setRest({ before: Math.max(0, from), after: Math.max(0, value.length - to) });
  const edited = (
    <Textarea
      {...props}
      value={value.slice(before, end)}
      onChange={({ currentTarget }) => onChange(value.slice(0, before) + currentTarget.value + value.slice(end))}
      rows={isLong(value) ? 8 : 3}
      // As high as its text, where the browser can do that.
      styles={isLong(value) ? {} : { input: { fieldSizing: "content", maxHeight: "12lh" } }}
    />
  );
  if (before === 0 && after === 0) return edited;
  return (
    <Stack gap="xs">
      {edited}
      <Group gap="xs">
        <Text variant="remark" role="status">
          Characters {formatNumber(before + 1)} to {formatNumber(end)} of {formatNumber(value.length)}
        </Text>
        {before > 0 && (
          <Action size="compact-xs" label="Show the part before" onClick={() => show(before - PART_LENGTH, before)} />
        )}
        {after > 0 && (
          <Action size="compact-xs" label="Show the next part" onClick={() => show(end, end + PART_LENGTH)} />
        )}
      </Group>
    </Stack>
  );
}
