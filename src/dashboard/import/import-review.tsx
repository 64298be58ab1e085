import { Alert, Group, Loader, NativeSelect, Radio, Stack, Table, Text } from "@mantine/core";
import { PLANT_MEMBERS } from "#contract/plant-members.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { usePage } from "../program/page-context.tsx";
import { counted, formatBytes, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { AttentionLines } from "./attention-lines.tsx";
import { FirstLines } from "./first-lines.tsx";
import { type Columns, MEMBERS, type Member } from "./headings.ts";
import { attentionText, type Check, type ImportStep } from "./import-steps.ts";
import { ReadingChoice } from "./reading-choice.tsx";
import { changeChoices, changeReading, review } from "./review-steps.ts";
import { listed, shortened } from "./row-texts.ts";
import { send } from "./sending.ts";
import { membersOf, type Source } from "./source.ts";

type Review = Extract<ImportStep, { readonly name: "review" }>;
type Checked = Extract<Check, { readonly name: "checked" }>;

interface ImportReviewProps {
  readonly step: Review;
  readonly onAnother: () => void;
}

/** Shows how a file was read and what Import would do; the reader can change all of it. */
export function ImportReview({ step, onAnother }: ImportReviewProps) {
  const page = usePage();
  const { chosen, check } = step;
  const { source, choices } = chosen;
  const isTable = source.reading.format !== "ndjson";
  const isReady = check.name === "checked" && check.plan.given.lines.length + check.plan.numbered.lines.length > 0;
  return (
    <Stack>
      <Text className="breaks">
        <b translate="no">{source.file.name}</b>, {formatBytes(source.file.size)}
        {check.name === "checked" && `, ${counted(check.plan.rows, "row")}`}
      </Text>
      <ReadingChoice source={source} onChange={(change) => void changeReading(page, step, change)} />
      {isTable && <ColumnChoice step={step} onChange={(columns) => void changeChoices(page, step, { columns })} />}
      <FirstRows source={source} columns={choices.columns} />
      <Outcome step={step} />
      <Group justify="flex-end">
        <Action label="Choose another file" onClick={onAnother} autoFocus={!isTable} />
        <Action
          kind="main"
          label="Import"
          disabled={!isReady}
          onClick={() => isReady && void send(page, { ...step, plan: check.plan })}
        />
      </Group>
    </Stack>
  );
}

const FIELDS: readonly { readonly member: Member; readonly label: string; readonly none: string }[] = [
  { member: "id", label: "Id", none: "New numbers" },
  ...PLANT_MEMBERS.map(({ name, label, isRequired }) => {
    return { member: name, label, none: isRequired ? "Choose a column" : "None" };
  }),
];

interface ColumnChoiceProps {
  readonly step: Review;
  readonly onChange: (columns: Columns) => void;
}

/** Assigns columns of the file to members of a plant. A column is assigned at most once. */
function ColumnChoice({ step: { chosen }, onChange }: ColumnChoiceProps) {
  const { headings } = chosen.source;
  const { columns } = chosen.choices;
  const options = headings.map((name, at) => ({ value: String(at), label: excerpt(name) }));
  const choose = (member: Member, value: string) => {
    const others = Object.entries(columns).filter(([name, at]) => name !== member && String(at) !== value);
    onChange({ ...Object.fromEntries(others), ...(value === "" ? {} : { [member]: Number(value) }) });
  };
  const left = headings.filter((_, at) => !Object.values(columns).includes(at));
  return (
    <Stack gap={6}>
      <div className="fitting">
        {FIELDS.map(({ member, label, none }) => (
          <NativeSelect
            key={member}
            label={label}
            data={[{ value: "", label: none }, ...options]}
            value={columns[member] === undefined ? "" : String(columns[member])}
            autoFocus={member === "id"}
            onChange={({ currentTarget }) => choose(member, currentTarget.value)}
          />
        ))}
      </div>
      {left.length > 0 && (
        <Text variant="remark">
          <span translate="no">{listed(left.slice(0, 6))}</span>
          {left.length > 6 && ` and ${formatNumber(left.length - 6)} more`}{" "}
          {left.length === 1 ? "is left out." : "are left out."}
        </Text>
      )}
    </Stack>
  );
}

const ROWS_SHOWN = 5;

/** The chosen columns of the first rows, under the file's own headings. */
function FirstRows({ source, columns }: { readonly source: Source; readonly columns: Columns }) {
  const { headings, reading, start } = source;
  const shown = MEMBERS.flatMap((member) => columns[member] ?? []);
  const rows = start.filter(({ line }) => line > reading.headingLine).slice(0, ROWS_SHOWN);
  const cellsOf = (cells: readonly string[]) => (reading.format === "ndjson" ? membersOf(cells[0] ?? "") : cells);
  return (
    <Table layout="fixed" aria-label="First rows" withTableBorder>
      <Table.Thead>
        <Table.Tr translate="no">
          {shown.map((at) => (
            <Table.Th key={at} className="breaks">
              {excerpt(headings[at] ?? "")}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ line, cells }) => (
          <Table.Tr key={line}>
            {shown.map((at) => (
              <Table.Td key={at} translate="no" className="breaks" dir="auto">
                {shortened(cellsOf(cells)[at] ?? "")}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Says what Import would do with the rows, as far as that is known. */
function Outcome({ step }: { readonly step: Review }) {
  const page = usePage();
  const { chosen, check } = step;
  if (check.name === "checking")
    return (
      <Group gap="xs" role="status" mih={28}>
        <Loader size="xs" aria-hidden="true" className="late" />
        <Text size="sm">Looking what becomes of the rows…</Text>
      </Group>
    );
  if (check.name === "incomplete") return <Text role="status">Choose the column of the names.</Text>;
  if (check.name === "unnumbered")
    return <Text role="status">No number is free above the greatest id: choose a column of ids.</Text>;
  if (check.name === "checked") return <Foretold step={step} check={check} />;
  return check.cause instanceof Error && check.cause.name === "UnreadableFile" ? (
    <Alert color="red" role="alert">
      {check.cause.message}
    </Alert>
  ) : (
    <FailureNotice
      cause={check.cause}
      title="The rows could not be checked"
      retry={() => review(page, chosen)}
      retryLabel="Check again"
    />
  );
}

function Foretold({ step, check }: { readonly step: Review; readonly check: Checked }) {
  const { plan, attention, namesHere } = check;
  const numbered = plan.numbered.lines.length;
  return (
    <Stack gap="sm">
      <Text role="status" fw={600}>
        {foretold(check)}
      </Text>
      {numbered > 0 && (
        <Text size="sm">
          {counted(numbered, "plant")} {numbered === 1 ? "gets its number" : "get their numbers"} from Plantstore, from{" "}
          {String(step.chosen.choices.firstId)} on. A file that is imported twice adds them twice.
        </Text>
      )}
      {namesHere > 0 && (
        <Alert color="yellow" role="alert">
          {counted(plan.rows, "row")}: {formatNumber(namesHere)} {namesHere === 1 ? "has" : "have"} a name that is here
          already.
        </Alert>
      )}
      <FirstLines check={check} />
      <ExistingChoice step={step} check={check} />
      <IdQuestions step={step} check={check} />
      <AttentionLines source={step.chosen.source} attention={attention} />
    </Stack>
  );
}

function foretold({ counts, attention, plan }: Checked): string {
  const passed = plan.passedOver > 0 ? `, ${counted(plan.passedOver, "empty row")} passed over` : "";
  const attended = attentionText(attention.lines.size, ", ");
  if (!counts) return `Too many rows to foretell each: you see what becomes of them while they are imported${attended}`;
  const { created, updated, unchanged } = counts;
  const said = [`${formatNumber(created)} new`];
  if (updated > 0) said.push(`${formatNumber(updated)} changed`);
  if (unchanged > 0) said.push(`${formatNumber(unchanged)} as before`);
  return `${said.join(", ")}${attended}${passed}`;
}

/** Lets the reader update or leave plants that have other texts here. */
function ExistingChoice({ step, check: { counts } }: { readonly step: Review; readonly check: Checked }) {
  const { importStep } = usePage();
  const updated = counts?.updated;
  if (updated === 0) return null;
  const them = updated === 1 ? "it" : "them";
  const all = updated === undefined || updated === 1 ? them : `the ${formatNumber(updated)}`;
  const choose = (existing: string) =>
    importStep.set({ ...step, chosen: { ...step.chosen, existing: existing === "leave" ? "leave" : "update" } });
  return (
    <Radio.Group value={step.chosen.existing} onChange={choose} label="Plants that are here already">
      <Group gap="lg">
        <Radio value="update" label={`Update ${all}`} />
        <Radio value="leave" label={`Leave ${them}`} />
      </Group>
    </Radio.Group>
  );
}

/** Questions about ids that a spreadsheet has probably changed, each once for the whole file. */
function IdQuestions({ step, check: { plan } }: { readonly step: Review; readonly check: Checked }) {
  const page = usePage();
  const { oddIds, rounded } = step.chosen.choices;
  const odd = plan.zeros + plan.shortened;
  return (
    <>
      {odd > 0 && (
        <Stack gap={6}>
          <Text size="sm">{oddText(plan)}</Text>
          <Group gap="xs">
            {plan.zeros > 0 && oddIds !== "drop zeros" && (
              <Action
                label="Drop the zeros"
                size="xs"
                onClick={() => changeChoices(page, step, { oddIds: "drop zeros" })}
              />
            )}
            {oddIds !== "number" && (
              <Action
                label="Let Plantstore number them"
                size="xs"
                onClick={() => changeChoices(page, step, { oddIds: "number" })}
              />
            )}
            {oddIds !== "ask" && (
              <Action label="Leave them out" size="xs" onClick={() => changeChoices(page, step, { oddIds: "ask" })} />
            )}
          </Group>
        </Stack>
      )}
      {plan.rounded > 0 && (
        <Stack gap={6}>
          <Text size="sm">
            {counted(plan.rounded, "id")} of more than 15 digits {plan.rounded === 1 ? "ends" : "end"} in 0: a
            spreadsheet has probably rounded {plan.rounded === 1 ? "it" : "them"}.
          </Text>
          <Group>
            {rounded === "ask" ? (
              <Action
                label="Take them as they are"
                size="xs"
                onClick={() => changeChoices(page, step, { rounded: "take" })}
              />
            ) : (
              <Action label="Leave them out" size="xs" onClick={() => changeChoices(page, step, { rounded: "ask" })} />
            )}
          </Group>
        </Stack>
      )}
    </>
  );
}

function oddText({ zeros, shortened }: Checked["plan"]): string {
  const parts = [];
  if (zeros > 0) parts.push(`${counted(zeros, "id")} ${zeros === 1 ? "has" : "have"} zeros at the beginning`);
  if (shortened > 0)
    parts.push(`${counted(shortened, "id")} ${shortened === 1 ? "was" : "were"} shortened by a spreadsheet`);
  return `${parts.join(", and ")}.`;
}
