import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { formatNumber } from "../text/numbers.ts";
import type { Check } from "./import-steps.ts";
import { listed, shortened } from "./row-texts.ts";

type Checked = Extract<Check, { readonly name: "checked" }>;

/** The first lines of each kind but those that need attention. */
export function FirstLines({ check: { first, plan, counts } }: { readonly check: Checked }) {
  const { created, changed, unchanged } = first;
  return (
    <Stack gap={6}>
      <Lines
        label="New plants"
        rows={created.map(({ line, id, name }) => ({ line, id, said: <>{quoted(name)} is new.</> }))}
      />
      <Lines
        label="Plants that would change"
        rows={changed.map(({ line, id, from, to }) => ({
          line,
          id,
          said: (
            <>
              is {quoted(from)} here, and {quoted(to)} in the file.
            </>
          ),
        }))}
      />
      {counts && unchanged.length > 0 && (
        <Text variant="remark">As before: {linesText(unchanged, counts.unchanged)}.</Text>
      )}
      {plan.passedOver > 0 && <Text variant="remark">Empty: {linesText(plan.passedOverFirst, plan.passedOver)}.</Text>}
    </Stack>
  );
}

interface LinesProps {
  readonly label: string;
  readonly rows: readonly { readonly line: number; readonly id: string; readonly said: ReactNode }[];
}

function Lines({ label, rows }: LinesProps) {
  if (rows.length === 0) return null;
  return (
    <ul className="plain-list dense" aria-label={label}>
      {rows.map(({ line, id, said }) => (
        <Text key={line} component="li" size="sm" className="breaks">
          Line {formatNumber(line)}: <span translate="no">{id}</span> {said}
        </Text>
      ))}
    </ul>
  );
}

function quoted(text: string) {
  return <q translate="no">{shortened(text)}</q>;
}

function linesText(lines: readonly number[], count: number): string {
  const more = count - lines.length;
  const numbers = lines.map(formatNumber);
  const all = more > 0 ? `${numbers.join(", ")} and ${formatNumber(more)} more` : listed(numbers);
  return `${count === 1 ? "line" : "lines"} ${all}`;
}
