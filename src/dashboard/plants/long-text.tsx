import { Group, Input, Stack, Text, Textarea, type TextareaProps } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { ONE_LINE, withoutBreaks } from "../browser/pasted-lines.ts";
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

/** The letters that a line of the panel has room for, where a browser cannot make the field as high as its text. */
const LINE_LENGTH = 40;

/** One line stands as high in its field as in those of a single line. */
const ONE_LINE_HIGH = { paddingBlock: "calc((var(--input-height) - 2px - 1lh) / 2)" };

/** Enter sends the form, as in any field of one line, unless its button is disabled. */
function sendByEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLButtonElement>("[type=submit]")?.click();
}

/**
 * A text area that wraps, and takes a single line: Enter sends the form. A text that programs gave several lines keeps
 * them, and may be given more. Of a long text an excerpt is shown until the whole is asked for, and of a very long one a part is edited at a time.
 */
export function LongText({ value, onChange, ...props }: LongTextProps) {
  const [whole, setWhole] = useState(!isLong(value));
  const [hasLines] = useState(() => isLong(value) || /[\r\n]/.test(value));
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
  const oneLine = {
    [ONE_LINE]: true,
    onKeyDown: sendByEnter,
    rows: Math.min(6, Math.ceil((value.length + 1) / LINE_LENGTH)),
  };
  const change = (part: string) => onChange(value.slice(0, before) + part + value.slice(end));
  const edited = (
    <Textarea
      {...props}
      {...(hasLines ? { rows: isLong(value) ? 8 : 3 } : oneLine)}
      value={value.slice(before, end)}
      onChange={({ currentTarget }) => change(hasLines ? currentTarget.value : withoutBreaks(currentTarget.value))}
      // The field grows with its text, where the browser can do that.
      styles={
        isLong(value)
          ? {}
          : { input: { fieldSizing: "content", maxHeight: "12lh", ...(hasLines ? {} : ONE_LINE_HIGH) } }
      }
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
