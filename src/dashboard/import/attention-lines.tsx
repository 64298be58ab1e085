import { Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { formatNumber } from "../text/numbers.ts";
import { saveLines, saveReasons } from "./attention-files.ts";
import { attentionSentence } from "./import-steps.ts";
import type { AttentionList } from "./plan.ts";
import type { Source } from "./source.ts";

const SHOWN = 5;

interface AttentionLinesProps {
  readonly source: Source;
  readonly attention: AttentionList;
}

/** The first lines that are not imported as they are, with their reasons, and all of them as files. */
export function AttentionLines({ source, attention }: AttentionLinesProps) {
  const [failure, setFailure] = useState<unknown>(null);
  const [length, setLength] = useState(SHOWN);
  const { reasons, lines } = attention;
  if (lines.size === 0) return null;
  const save = () => saveLines(source, attention).then(() => setFailure(null), setFailure);
  return (
    <Stack gap="xs">
      <ul className="plain-list dense" aria-label="Lines that need your attention">
        {reasons.slice(0, length).map((each) => (
          <Text key={each.line} component="li" size="sm" className="breaks">
            {attentionSentence(each)} {each.code !== undefined && <Code>{each.code}</Code>}
          </Text>
        ))}
      </ul>
      {lines.size > length && (
        <Text variant="remark">
          The first {formatNumber(Math.min(length, reasons.length))} of {formatNumber(lines.size)}.
        </Text>
      )}
      <FailureNotice cause={failure} title="The lines could not be saved" />
      <Group gap="xs">
        {reasons.length > length && length < 20 && (
          <Action label="Show more" size="xs" kind="quiet" onClick={() => setLength(20)} />
        )}
        <Action label="Save these lines" size="xs" icon="download" onClick={() => void save()} />
        <Action label="Save the reasons" size="xs" icon="download" onClick={() => saveReasons(attention)} />
      </Group>
    </Stack>
  );
}
