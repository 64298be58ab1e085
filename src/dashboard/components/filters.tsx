import type { NativeSelectProps, SegmentedControlProps, TextInputProps } from "@mantine/core";
import { CloseButton, Group, NativeSelect, Radio, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { holdsFolded } from "#contract/dashboard/fold.ts";
import { Icon } from "./icon.tsx";

interface SearchFieldProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  /** The value that a typed text becomes, if that is another one. */
  readonly shownAs?: (text: string) => string;
  /** Called after a pause in typing, without a text if there is none. */
  readonly onSearch: (text: string | undefined) => void;
  /** A second field beside the page's search, which the key "/" does not lead to. */
  readonly secondary?: boolean;
  readonly suggestions?: readonly Suggestion[];
  /** The value for a typed text; undefined while that is none, which is searched for by Enter alone. */
  readonly accept?: (text: string) => string | undefined;
  readonly flex?: string;
}

export function SearchField(props: SearchFieldProps) {
  const { label, placeholder = label, value, shownAs, onSearch, secondary, suggestions, accept, flex } = props;
  const [typed, setTyped] = useState(value);
  const searched = useRef(value);
  const search = (text: string) => {
    searched.current = shownAs?.(text) ?? text;
    onSearch(text || undefined);
  };
  const pause = useDebouncedCallback((text: string) => {
    const accepted = accept && text !== "" ? accept(text) : text;
    if (accepted !== undefined) search(accepted);
  }, 300);
  // The back button, or a click on a filter elsewhere in the page, changes it from outside. The search that was asked
  // for here is not set again, since more may have been typed until the page shows it.
  useEffect(() => {
    if (value !== searched.current) {
      setTyped(value);
      pause.cancel();
    }
    searched.current = value;
  }, [value, pause]);
  const type = (text: string) => {
    setTyped(text);
    pause(text);
  };
  const clear = () => {
    type("");
    pause.flush();
  };
  return (
    <SuggestingInput
      inputMode="search"
      aria-label={label}
      placeholder={placeholder}
      suggestions={suggestions}
      data-page-search={secondary ? undefined : true}
      leftSection={secondary ? undefined : <Icon name="search" size={16} />}
      rightSection={typed !== "" && <CloseButton size={24} aria-label="Clear" onClick={clear} />}
      value={typed}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== "Enter") return;
        pause.flush();
        if (accept && typed !== "" && accept(typed) === undefined) {
          const chosen = onlyOffered(suggestions, typed) ?? typed;
          setTyped(chosen);
          search(chosen);
        }
        // Scanners end with Enter, and what they read next is another search.
        currentTarget.select();
      }}
      flex={flex ?? (secondary ? "1 1 140px" : "2 1 220px")}
    />
  );
}

/** The one suggestion that holds what is typed, folded as in a search. */
function onlyOffered(suggestions: readonly Suggestion[] = [], typed: string): string | undefined {
  const offered = suggestions.map(textOf).filter((text) => holdsFolded(text, typed));
  return offered.length === 1 ? offered[0] : undefined;
}

function textOf(suggestion: Suggestion): string {
  return typeof suggestion === "string" ? suggestion : suggestion.text;
}

/** A text that is offered, or one with a remark, such as how often it occurs. */
type Suggestion = string | { readonly text: string; readonly remark: string };

interface SuggestingInputProps extends TextInputProps {
  readonly suggestions: readonly Suggestion[] | undefined;
  readonly "data-page-search"?: boolean;
  readonly "data-autofocus"?: boolean;
}

/** A field of one line. It offers the suggestions that hold what is typed, folded as in a search. */
export function SuggestingInput({ suggestions, ...props }: SuggestingInputProps) {
  const list = useId();
  const typed = String(props.value ?? "");
  return (
    <>
      <TextInput {...props} list={suggestions && list} />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((suggestion) => {
            const text = textOf(suggestion);
            const remark = typeof suggestion === "string" ? "" : suggestion.remark;
            return <option key={text} value={text} label={labelOf(text, remark, typed)} />;
          })}
        </datalist>
      )}
    </>
  );
}

/** Browsers offer an option whose value or label holds what is typed, upper and lower case alike. */
function labelOf(text: string, remark: string, typed: string): string | undefined {
  const isOffered = text.toLowerCase().includes(typed.toLowerCase());
  const label = remark === "" ? text : `${text}, ${remark}`;
  if (isOffered || !holdsFolded(text, typed)) return remark === "" ? undefined : label;
  return `${label} (${typed})`;
}

/** Names of choices by their values. The one without a value, "", is the one for all. */
type Choices = Readonly<Record<string, string>>;

export function optionsOf(choices: Choices) {
  return Object.entries(choices).map(([value, label]) => ({ value, label }));
}

export interface ChoiceProps extends Pick<NativeSelectProps, "flex" | "maw"> {
  readonly label: string;
  readonly choices: Choices;
  readonly value: string;
  /** Called without a value for the choice "". */
  readonly onChange: (value: string | undefined) => void;
}

/** A choice of a few, side by side. */
export function Segments({ label, choices, onChange, ...props }: ChoiceProps & Pick<SegmentedControlProps, "size">) {
  const data = optionsOf(choices);
  return (
    <SegmentedControl aria-label={label} data={data} onChange={(value) => onChange(value || undefined)} {...props} />
  );
}

/** A choice of many, one below the other. */
export function Select({ label, choices, onChange, ...props }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label={label}
      data={optionsOf(choices)}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      {...props}
    />
  );
}

export interface RadiosProps<Value extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<Value, { readonly label: string; readonly meaning: string }>>;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly error?: ReactNode;
  /** True where it is the first field to be changed. */
  readonly isFirst?: boolean;
}

/** A choice of a few, each with its meaning. */
export function Radios<Value extends string>({ choices, onChange, isFirst, ...props }: RadiosProps<Value>) {
  const focused = (each: Value) => (isFirst && each === props.value) || undefined;
  return (
    <Radio.Group {...props} onChange={(chosen) => onChange(chosen as Value)}>
      <Stack gap="xs" mt={6}>
        {(Object.keys(choices) as Value[]).map((each) => {
          const { label, meaning } = choices[each];
          return <Radio key={each} value={each} label={label} description={meaning} data-autofocus={focused(each)} />;
        })}
      </Stack>
    </Radio.Group>
  );
}

interface ChipProps {
  readonly text: ReactNode;
  /** The name of its button, which is needed unless the text is one. */
  readonly remove?: string;
  readonly onRemove: () => void;
}

/** A filter that has no control of its own, to be taken away. */
export function Chip({ text, remove = `Remove the filter: ${text}`, onRemove }: ChipProps) {
  return (
    <Group
      className="chip"
      gap={4}
      wrap="nowrap"
      maw="100%"
      py={2}
      pl={12}
      pr={4}
      bg="var(--mantine-color-gray-light)"
      bdrs={16}
    >
      <span className="cut">{text}</span>
      <CloseButton aria-label={remove} onClick={onRemove} size={24} />
    </Group>
  );
}
