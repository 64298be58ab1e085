import { Checkbox, Group, NativeSelect, Portal, Stack, Text, TextInput } from "@mantine/core";
import { type CSSProperties, useState } from "react";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { Dialog } from "../components/dialog.tsx";
import { LocalAddressNotice } from "../components/local-address-notice.tsx";
import { drawQrCode, loadQrEncoder, type QrDrawing, QrPicture } from "../components/qr-code.tsx";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { keepMeasures, keptMeasures, OWN_MEASURES, type OwnMeasures, ownPaper, PAPERS, type Paper } from "./papers.ts";
import { forEachPlant, PLANTS_KEY } from "./plant-data.ts";

/** Each plant is read by a request of its own, and its code is drawn in the page. */
const LABELS_MAX = 500;
/** The light squares around a code that readers require (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** Counts copies too, since each is drawn. */
const COPIES_MAX = 2000;
const PAPER_NAMES = [
  ...Object.entries(PAPERS).map(([value, { name: label }]) => ({ value, label })),
  { value: "own", label: "My own" },
];

interface Label {
  readonly id: string;
  readonly name: string;
  readonly tag: string | undefined;
  readonly code: QrDrawing;
}

interface LabelsDialogProps {
  readonly ids: ReadonlySet<string>;
  readonly onClose: () => void;
}

export function LabelsDialog({ ids, onClose }: LabelsDialogProps) {
  return (
    <Dialog onClose={onClose} title={`Labels for ${counted(ids.size, "plant")}`}>
      {ids.size > LABELS_MAX ? (
        <Text role="alert">
          Labels are printed for at most {formatNumber(LABELS_MAX)} plants at once. Select fewer plants.
        </Text>
      ) : (
        <LabelsForm ids={[...ids]} onClose={onClose} />
      )}
    </Dialog>
  );
}

function LabelsForm({ ids, onClose }: { readonly ids: readonly string[]; readonly onClose: () => void }) {
  const { base_url, store } = useSession();
  const [chosen, setChosen] = useState<keyof typeof PAPERS | "own">("a4-24");
  const [measures, setMeasures] = useState(keptMeasures);
  const [options, setOptions] = useState({ tagged: false, ruled: false, begin: 1, copies: 1 });
  const change = (part: Partial<typeof options>) => setOptions((before) => ({ ...before, ...part }));
  const labels = useLabels(ids, base_url, store?.id);
  const paper = chosen === "own" ? ownPaper(measures) : PAPERS[chosen];
  const length = paper ? paper.cells[0] * paper.cells[1] : 1;
  const begin = within(options.begin, length);
  const copies = within(options.copies, Math.floor(COPIES_MAX / ids.length));
  return (
    <Stack>
      <LocalAddressNotice address={base_url} title="A phone cannot open these codes" />
      <NativeSelect
        label="Paper"
        data={PAPER_NAMES}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value as keyof typeof PAPERS | "own")}
        data-autofocus
      />
      {chosen === "own" && (
        <OwnMeasuresFields
          measures={measures}
          onChange={(measures) => {
            setMeasures(measures);
            keepMeasures(measures);
          }}
        />
      )}
      <Group gap="md" align="end">
        {length > 1 && (
          <NumberField label="Begin at label" value={options.begin} onChange={(begin) => change({ begin })} />
        )}
        <NumberField label="Copies of each" value={options.copies} onChange={(copies) => change({ copies })} />
      </Group>
      <Checkbox label="With the tag" checked={options.tagged} onChange={() => change({ tagged: !options.tagged })} />
      <Checkbox
        label="With a line of 50 mm, to see whether the printer scales"
        checked={options.ruled}
        onChange={() => change({ ruled: !options.ruled })}
      />
      {!paper && <Text role="alert">No label of at least 15 × 10 mm has room with these measures.</Text>}
      <Answered query={labels} data={labels.data} shape={24}>
        {(drawn) =>
          paper && (
            <>
              <Text variant="remark" role="status">
                {counted(drawn.length * copies, "label")} on{" "}
                {counted(Math.ceil((begin - 1 + drawn.length * copies) / length), "page")}.{" "}
                {drawn.length < ids.length && "The other plants are no longer there. "}
                In the print window choose 100 %, and switch headers and footers off.
              </Text>
              <SheetPreview paper={paper} begin={begin} count={drawn.length * copies} />
              <LabelSheets
                labels={drawn.flatMap((label) => Array.from({ length: copies }, () => label))}
                paper={paper}
                skipped={begin - 1}
                {...options}
              />
            </>
          )
        }
      </Answered>
      <Group justify="flex-end">
        <Action label="Close" kind="quiet" onClick={onClose} />
        <Action label="Print" kind="main" disabled={!labels.data?.length || !paper} onClick={() => print()} />
      </Group>
    </Stack>
  );
}

/** A number that was typed, as far as it is possible. */
function within(typed: number, max: number): number {
  return Math.max(1, Math.min(max, Math.floor(typed) || 1));
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function NumberField({ label, value, onChange }: NumberFieldProps) {
  return (
    <TextInput
      type="number"
      label={label}
      defaultValue={value}
      min={0}
      step="any"
      maw={160}
      onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
    />
  );
}

interface OwnMeasuresFieldsProps {
  readonly measures: OwnMeasures;
  readonly onChange: (measures: OwnMeasures) => void;
}

function OwnMeasuresFields({ measures, onChange }: OwnMeasuresFieldsProps) {
  return (
    <div className="fitting">
      {(Object.keys(OWN_MEASURES) as (keyof OwnMeasures)[]).map((name) => (
        <NumberField
          key={name}
          label={`${OWN_MEASURES[name]}${name === "columns" || name === "rows" ? "" : " (mm)"}`}
          value={measures[name]}
          onChange={(value) => onChange({ ...measures, [name]: value })}
        />
      ))}
    </div>
  );
}

interface SheetPreviewProps {
  readonly paper: Paper;
  readonly begin: number;
  readonly count: number;
}

/** The first sheet in small: where labels are printed, and which are left as they are. */
function SheetPreview({ paper: { page, cells, label, gap }, begin, count }: SheetPreviewProps) {
  const [columns, rows] = cells;
  const left = (page[0] - columns * label[0] - (columns - 1) * gap[0]) / 2;
  const top = (page[1] - rows * label[1] - (rows - 1) * gap[1]) / 2;
  return (
    <svg
      role="img"
      aria-label="The first sheet"
      viewBox={`0 0 ${page[0]} ${page[1]}`}
      style={{ maxHeight: 180, maxWidth: "100%", border: "1px solid var(--mantine-color-placeholder)" }}
    >
      {Array.from({ length: columns * rows }, (_, at) => (
        <rect
          key={String(at)}
          x={left + (at % columns) * (label[0] + gap[0]) + 0.5}
          y={top + Math.floor(at / columns) * (label[1] + gap[1]) + 0.5}
          width={label[0] - 1}
          height={label[1] - 1}
          rx={1.5}
          fill={at + 1 >= begin && at + 1 < begin + count ? "var(--mantine-color-leaf-filled)" : "none"}
          stroke="var(--mantine-color-placeholder)"
          strokeWidth={0.5}
        />
      ))}
    </svg>
  );
}

/** The plants as they are now, with the code of each one's address. */
function useLabels(ids: readonly string[], baseUrl: string, store: string | undefined) {
  return useAnswer(
    [PLANTS_KEY, "labels", ids],
    async ({ client }, signal) => {
      const encoder = await loadQrEncoder();
      const labels = new Map<string, Label>();
      const draw = async (exact: bigint) => {
        const { name, tag } = await client.get(exact, { signal });
        const id = String(exact);
        const code = drawQrCode(encoder, `${baseUrl}${PLANTS}/${id}?store=${store}`, QUIET_ZONE);
        labels.set(id, { id, name: excerpt(name), tag: tag && excerpt(tag), code });
      };
      const { failed, cause } = await forEachPlant(ids, draw, () => {});
      if (failed.length > 0) throw cause;
      return ids.flatMap((id) => labels.get(id) ?? []);
    },
    // The browser's print dialog takes the focus, and the labels stay as they were when it opened.
    { gcTime: 0, refetchOnWindowFocus: false },
  );
}

interface LabelSheetsProps {
  readonly labels: readonly Label[];
  readonly paper: Paper;
  readonly tagged: boolean;
  readonly ruled: boolean;
  /** The labels of the first sheet that were used before. */
  readonly skipped: number;
}

/** Shown on paper alone, where nothing else of the page is shown. */
function LabelSheets({ labels, paper, tagged, ruled, skipped }: LabelSheetsProps) {
  const [columns, rows] = paper.cells;
  const [width, height, labelWidth, labelHeight, across, down] = [...paper.page, ...paper.label, ...paper.gap].map(
    (length) => `${length}mm`,
  );
  const length = columns * rows;
  const gridTemplate = `repeat(${rows}, ${labelHeight}) / repeat(${columns}, ${labelWidth})`;
  const small = paper.label[1] < 26;
  const beside = { gridTemplateColumns: `min(${labelHeight} - 3mm, 26mm) minmax(0, 1fr)` };
  const title = { fontSize: small ? "7.5pt" : "9pt", WebkitLineClamp: small ? 3 : 4 };
  const remark = { fontSize: small ? "6.5pt" : "7pt" };
  const slots = [...Array.from({ length: skipped }, () => undefined), ...labels];
  return (
    <Portal className="label-sheets" reuseTargetNode={false}>
      <style>{`@page { size: ${width} ${height}; margin: 0 }`}</style>
      {Array.from({ length: Math.ceil(slots.length / length) }, (_, sheet) => (
        <div
          key={String(sheet)}
          translate="no"
          className="label-sheet"
          style={{ width, height, gridTemplate, columnGap: across, rowGap: down }}
        >
          {ruled && sheet === 0 && <div className="label-ruler">50 mm</div>}
          {slots.slice(sheet * length, (sheet + 1) * length).map((slot, at) =>
            slot === undefined ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: a place of a sheet has no other name
              <div key={`used ${at}`} />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: copies have the same id
              <PrintedLabel key={`${slot.id} ${at}`} label={slot} {...{ tagged, beside, title, remark }} />
            ),
          )}
        </div>
      ))}
    </Portal>
  );
}

interface PrintedLabelProps {
  readonly label: Label;
  readonly tagged: boolean;
  readonly beside: CSSProperties;
  readonly title: CSSProperties;
  readonly remark: CSSProperties;
}

function PrintedLabel({ label: { id, name, tag, code }, tagged, beside, title, remark }: PrintedLabelProps) {
  return (
    <div className="label" style={beside}>
      <QrPicture drawing={code} label={`QR code of plant ${id}`} />
      <div>
        <p className="label-name" dir="auto" style={title}>
          {name}
        </p>
        {tagged && tag && (
          <p className="label-tag" dir="auto" style={remark}>
            {tag}
          </p>
        )}
        <p className="label-id" style={{ ...remark, marginTop: "0.6mm" }}>
          {id}
        </p>
      </div>
    </div>
  );
}
