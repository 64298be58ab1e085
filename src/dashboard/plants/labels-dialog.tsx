import { Checkbox, Group, NativeSelect, Portal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { Dialog } from "../components/dialog.tsx";
import { LocalAddressNotice } from "../components/local-address-notice.tsx";
import { drawQrCode, loadQrEncoder, type QrDrawing, QrPicture } from "../components/qr-code.tsx";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { inSameStore } from "../session/store.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { forEachPlant, PLANTS_KEY } from "./plant-data.ts";

/** Each plant is read by a request of its own, and its code is drawn in the page. */
const LABELS_MAX = 500;
/** The light squares around a code that readers require (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A paper: its size and that of its labels, width then height, and how many of them stand beside and below each other. */
interface Paper {
  readonly name: string;
  readonly page: readonly [string, string];
  readonly cells: readonly [number, number];
  readonly label: readonly [string, string];
  readonly gap?: string;
}

const A4 = { page: ["210mm", "297mm"], gap: "2.5mm" } as const;
const LETTER = { page: ["8.5in", "11in"], gap: "0.125in" } as const;
const PAPERS = {
  "a4-24": { name: "A4: 24 of 63.5 × 33.9 mm", ...A4, cells: [3, 8], label: ["63.5mm", "33.9mm"] },
  "a4-40": { name: "A4: 40 of 45.7 × 25.4 mm", ...A4, cells: [4, 10], label: ["45.7mm", "25.4mm"] },
  "letter-24": { name: "US Letter: 24 of 2⅝ × 1¼ in", ...LETTER, cells: [3, 8], label: ["2.625in", "1.25in"] },
  "letter-40": { name: "US Letter: 40 of 2 × 1 in", ...LETTER, cells: [4, 10], label: ["2in", "1in"] },
  roll: { name: "Roll: 62 × 29 mm", page: ["62mm", "29mm"], cells: [1, 1], label: ["62mm", "29mm"] },
} as const satisfies Readonly<Record<string, Paper>>;
const PAPER_NAMES = Object.entries(PAPERS).map(([value, { name: label }]) => ({ value, label }));

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
    <Dialog onClose={onClose} title={`Labels of ${counted(ids.size, "plant")}`}>
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
  const { base_url } = useSession();
  const [chosen, setChosen] = useState<keyof typeof PAPERS>("a4-24");
  const [tagged, setTagged] = useState(false);
  const labels = useLabels(ids, base_url);
  const paper = PAPERS[chosen];
  const length = paper.cells[0] * paper.cells[1];
  return (
    <Stack>
      <LocalAddressNotice address={base_url} title="A phone cannot open these codes" />
      <NativeSelect
        label="Paper"
        data={PAPER_NAMES}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value as keyof typeof PAPERS)}
        data-autofocus
      />
      <Checkbox label="With the tag" checked={tagged} onChange={() => setTagged(!tagged)} />
      <Answered query={labels} data={labels.data} shape={24}>
        {(drawn) => (
          <>
            <Text variant="remark" role="status">
              {counted(drawn.length, "label")} on {counted(Math.ceil(drawn.length / length), "page")}.{" "}
              {drawn.length < ids.length && "The other plants are no longer there. "}
              Print them in their actual size, without headers.
            </Text>
            <LabelSheets labels={drawn} paper={paper} tagged={tagged} />
          </>
        )}
      </Answered>
      <Group justify="flex-end">
        <Action label="Close" kind="quiet" onClick={onClose} />
        <Action label="Print" kind="main" disabled={!labels.data?.length} onClick={() => print()} />
      </Group>
    </Stack>
  );
}

/** The plants as they are now, with the code of each one's address. */
function useLabels(ids: readonly string[], baseUrl: string) {
  return useAnswer(
    [PLANTS_KEY, "labels", ids],
    async ({ client }, signal) => {
      const encoder = await loadQrEncoder();
      const labels = new Map<string, Label>();
      const draw = async (exact: bigint) => {
        const { name, tag } = await client.get(exact, { signal });
        const id = String(exact);
        const code = drawQrCode(encoder, baseUrl + inSameStore(`${PLANTS}/${id}`), QUIET_ZONE);
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
}

/** Shown on paper alone, where nothing else of the page is shown. */
function LabelSheets({ labels, paper, tagged }: LabelSheetsProps) {
  const [[width, height], [columns, rows], [labelWidth, labelHeight]] = [paper.page, paper.cells, paper.label];
  const length = columns * rows;
  const gridTemplate = `repeat(${rows}, ${labelHeight}) / repeat(${columns}, ${labelWidth})`;
  const small = rows > 8;
  const beside = { gridTemplateColumns: `min(${labelHeight} - 3mm, 26mm) minmax(0, 1fr)` };
  const title = { fontSize: small ? "7.5pt" : "9pt", WebkitLineClamp: small ? 3 : 4 };
  const remark = { fontSize: small ? "6.5pt" : "7pt" };
  return (
    <Portal className="label-sheets" reuseTargetNode={false}>
      <style>{`@page { size: ${width} ${height}; margin: 0 }`}</style>
      {Array.from({ length: Math.ceil(labels.length / length) }, (_, sheet) => (
        <div
          key={String(sheet)}
          translate="no"
          className="label-sheet"
          style={{ width, height, gridTemplate, columnGap: paper.gap }}
        >
          {labels.slice(sheet * length, (sheet + 1) * length).map(({ id, name, tag, code }) => (
            <div key={id} className="label" style={beside}>
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
          ))}
        </div>
      ))}
    </Portal>
  );
}
