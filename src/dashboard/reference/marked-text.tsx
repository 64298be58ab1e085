import { Anchor, Code, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { DataTable } from "../components/list.tsx";

/** The document's prose: paragraphs, tables and code, the parts of Markdown that it uses. */
export function MarkedText({ text }: { readonly text: string }) {
  return (
    <Stack gap="sm" className="tables">
      {text.split(/\n{2,}/).map((block) =>
        block.startsWith("|") ? (
          <MarkedTable key={block} rows={block.split("\n")} />
        ) : (
          <Text key={block} maw="75ch" className="breaks">
            {inline(block)}
          </Text>
        ),
      )}
    </Stack>
  );
}

export function InlineText({ text, c }: { readonly text: string; readonly c?: "dimmed" }) {
  return (
    <Text size="sm" c={c} className="breaks">
      {inline(text)}
    </Text>
  );
}

export function inline(text: string): ReactNode[] {
  return text.split("`").map((part, index) => {
    const key = `${index} ${part}`;
    return index % 2 === 1 ? <Code key={key}>{part}</Code> : <span key={key}>{withErrorLinks(part)}</span>;
  });
}

const ERROR_NUMBER = /\b([45]\d\d\d\d|the tag Errors)\b/;

/** Numbers of errors lead to the table that explains them. */
function withErrorLinks(text: string): ReactNode[] {
  return text.split(ERROR_NUMBER).map((part, index) => {
    if (index % 2 === 0) return part;
    const isNumber = /^\d/.test(part);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name, and never move
      <Anchor key={index} href={isNumber ? `/docs#error-${part}` : "/docs#tag-errors"}>
        {isNumber ? part : "Errors"}
      </Anchor>
    );
  });
}

/** Rows with an error number can be linked to, as in #error-40901. */
function MarkedTable({ rows }: { readonly rows: readonly string[] }) {
  const [head = [], , ...body] = rows.map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  return (
    <DataTable
      label={head.join(", ")}
      rows={body}
      keyOf={(cells) => cells.join()}
      idOf={([first]) => `error-${first}`}
      columns={head.map((title, at) => ({ title, cell: (cells: string[]) => inline(cells[at] ?? "") }))}
    />
  );
}
