import { Alert, Checkbox, Group, NativeSelect, Portal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { isLoopbackName } from "#contract/loopback-name.ts";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { Dialog } from "../components/dialog.tsx";
import { optionsOf } from "../components/filters.tsx";
import { Icon } from "../components/icon.tsx";
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

/** The papers by their class in own.css, which has the measures. */
const PAPERS = {
  "a4-24": "A4: 24 of 63.5 × 33.9 mm",
  "a4-40": "A4: 40 of 45.7 × 25.4 mm",
  "letter-24": "US Letter: 24 of 2⅝ × 1¼ in",
  "letter-40": "US Letter: 40 of 2 × 1 in",
  roll: "Roll: 62 × 29 mm",
};
type Paper = keyof typeof PAPERS;

function labelsOnPage(paper: Paper): number {
  return paper === "roll" ? 1 : Number(paper.split("-")[1]);
}

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

/** Prints labels of the plants with these ids, in their order. */
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
  const [paper, setPaper] = useState<Paper>("a4-24");
  const [tagged, setTagged] = useState(false);
  const labels = useLabels(ids, base_url);
  return (
    <Stack>
      {isOfThisMachine(base_url) && (
        <Alert color="yellow" icon={<Icon name="warning" />} title="A phone cannot open these codes" className="breaks">
          They lead to {base_url}, an address of this computer alone. Whoever runs Plantstore sets BASE_URL to one that
          phones reach.
        </Alert>
      )}
      <NativeSelect
        label="Paper"
        data={optionsOf(PAPERS)}
        value={paper}
        onChange={({ currentTarget }) => setPaper(currentTarget.value as Paper)}
        data-autofocus
      />
      <Checkbox
        label="With the tag"
        checked={tagged}
        onChange={({ currentTarget }) => setTagged(currentTarget.checked)}
      />
      <Answered query={labels} data={labels.data} shape={24}>
        {(drawn) => (
          <>
            <Text size="sm" c="dimmed" role="status">
              {counted(drawn.length, "label")} on {counted(Math.ceil(drawn.length / labelsOnPage(paper)), "page")}.{" "}
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

/** True for addresses that another device takes for its own, or for none. */
function isOfThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return isLoopbackName(hostname) || hostname === "0.0.0.0" || hostname === "[::]";
}

interface LabelSheetsProps {
  readonly labels: readonly Label[];
  readonly paper: Paper;
  readonly tagged: boolean;
}

/** Shown on paper alone, where nothing else of the page is shown. */
function LabelSheets({ labels, paper, tagged }: LabelSheetsProps) {
  const length = labelsOnPage(paper);
  const sheets = Array.from({ length: Math.ceil(labels.length / length) }, (_, sheet) =>
    labels.slice(sheet * length, (sheet + 1) * length),
  );
  return (
    <Portal className="label-sheets" reuseTargetNode={false}>
      {sheets.map((sheet) => (
        <div key={sheet[0]?.id} className={`label-sheet ${paper}`}>
          {sheet.map(({ id, name, tag, code }) => (
            <div key={id} className="label">
              <QrPicture drawing={code} label={`QR code of plant ${id}`} />
              <div>
                <p className="label-name" dir="auto">
                  {name}
                </p>
                {tagged && tag && (
                  <p className="label-tag" dir="auto">
                    {tag}
                  </p>
                )}
                <p className="label-id">{id}</p>
              </div>
            </div>
          ))}
        </div>
      ))}
    </Portal>
  );
}
