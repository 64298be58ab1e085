import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Action } from "../components/action.tsx";
import { formatNumber } from "../text/numbers.ts";
import { capitalized } from "../text/sentence.ts";
import { SEPARATORS, type Separator } from "./csv-rows.ts";
import { ENCODINGS, type Encoding } from "./encoding.ts";
import type { Reading, Source } from "./source.ts";

interface ReadingChoiceProps {
  readonly source: Source;
  readonly onChange: (change: Partial<Reading>) => void;
}

/** How the file was understood, in a line, and the fields that change it. */
export function ReadingChoice({ source, onChange }: ReadingChoiceProps) {
  const { reading, sheets } = source;
  const [opened, setOpened] = useState(false);
  const isOpen = opened || reading.isGuessed;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm">{understood(source)}</Text>
        {!isOpen && <Action label="Change" kind="quiet" size="compact-sm" onClick={() => setOpened(true)} />}
      </Group>
      {reading.isGuessed && (
        <Text size="sm">
          The encoding is a guess. Is each letter right in the first rows? If not, choose another one.
        </Text>
      )}
      {isOpen && (
        <div className="fitting">
          {reading.format === "csv" && (
            <NativeSelect
              label="Separator"
              data={Object.entries(SEPARATORS).map(([value, label]) => ({ value, label: capitalized(label) }))}
              value={reading.separator}
              onChange={({ currentTarget }) => onChange({ separator: currentTarget.value as Separator })}
            />
          )}
          {reading.format !== "xlsx" && (
            <NativeSelect
              label="Encoding"
              data={Object.entries(ENCODINGS).map(([value, label]) => ({ value, label }))}
              value={reading.encoding}
              onChange={({ currentTarget }) => onChange({ encoding: currentTarget.value as Encoding })}
            />
          )}
          {sheets.length > 1 && (
            <NativeSelect
              label="Sheet"
              data={[...sheets]}
              value={reading.sheet}
              onChange={({ currentTarget }) => onChange({ sheet: currentTarget.value, headingLine: undefined })}
            />
          )}
          {reading.format !== "ndjson" && <HeadingChoice source={source} onChange={onChange} />}
        </div>
      )}
    </Stack>
  );
}

function HeadingChoice({ source: { start, reading }, onChange }: ReadingChoiceProps) {
  const lines = start.slice(0, 10).map(({ line, cells }) => {
    const shown = cells.filter(Boolean).join(", ");
    return { value: String(line), label: `Line ${line}: ${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown}` };
  });
  return (
    <NativeSelect
      label="Headings are in"
      data={[{ value: "0", label: "None: the first line is a plant" }, ...lines]}
      value={String(reading.headingLine)}
      onChange={({ currentTarget }) => onChange({ headingLine: Number(currentTarget.value) })}
    />
  );
}

function understood({ reading, sheets }: Source): string {
  const { format, encoding, separator, sheet, headingLine } = reading;
  const said = format === "xlsx" ? ["an Excel workbook"] : [ENCODINGS[encoding]];
  if (sheets.length > 1) said.push(`sheet ${sheet}`);
  if (format === "csv") said.push(SEPARATORS[separator]);
  if (format === "ndjson") said.push("NDJSON");
  const headings = headingLine === 0 ? "without headings" : `headings in line ${formatNumber(headingLine)}`;
  return `Read as ${said.join(", ")}${format === "ndjson" ? "" : `, ${headings}`}.`;
}
