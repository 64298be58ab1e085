import { expect, test } from "bun:test";
import type { ImportRecord, UndoRecord } from "#contract/dashboard/imports.ts";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { UndoDialog } from "./undo-dialog.tsx";

const ELLA = { kind: "person", id: "p2", name: "Ella" } as const;
const IMPORT: ImportRecord = {
  id: "imp_1",
  file_name: "roses.xlsx",
  at: "2026-03-01T00:00:00.000Z",
  by: ELLA,
  counts: { created: 398, updated: 3 },
  undo: null,
};
const LEFT = { changed: 0, removed: 0, replaced: 0 };
const undo = (more: Partial<UndoRecord>): UndoRecord => ({
  ...{ state: "running", by: ELLA, removed: 0, restored: 0, left: LEFT, left_plants: [] },
  ...more,
});

test("an undo is asked for first, shows how far it is, and goes on for another where it has stopped", async () => {
  let shown: UndoRecord | null = null;
  let asked = 0;
  const { press, findByText } = await renderComponent(<UndoDialog id="imp_1" onClose={() => {}} />, {
    answers: {
      "GET /dashboard/api/imports/imp_1": () => Response.json({ ...IMPORT, undo: shown }),
      "POST /dashboard/api/imports/imp_1/undo": () => {
        shown = undo({ removed: 100 * ++asked });
        return new Response(null, { status: 202 });
      },
    },
  });
  await findByText("roses.xlsx");
  await press("Undo this import");
  await findByText("Undoing the import: 100 of 401 plants");
  shown = undo({ state: "stopped", removed: 200 });
  await findByText(/^The undo stopped: 200 plants removed. Who began it may not change plants any more.$/);
  await press("Continue");
  await findByText("Undoing the import: 200 of 401 plants");
  shown = undo({ state: "done", removed: 398, restored: 2, left: { ...LEFT, changed: 1 } });
  await findByText("Import undone: 398 plants removed, 2 as before the import. 1 was changed since: left.");
});

test("plants are asked for anew also after an undo that was over before it was seen to run", async () => {
  let shown: UndoRecord | null = null;
  const { page, press, findByText, waitFor } = await renderComponent(<UndoDialog id="imp_1" onClose={() => {}} />, {
    answers: {
      "GET /dashboard/api/imports/imp_1": () => Response.json({ ...IMPORT, undo: shown }),
      "POST /dashboard/api/imports/imp_1/undo": () => {
        shown = undo({ state: "done", removed: 401 });
        return new Response(null, { status: 202 });
      },
    },
  });
  page.queries.setQueryData(["plants", "shown"], "before");
  await press("Undo this import");
  await findByText("Import undone: 401 plants removed.");
  await waitFor(() => expect(page.queries.getQueryState(["plants", "shown"])?.isInvalidated).toBe(true));
});

test("a refusal of the undo is told, and it may be asked for again", async () => {
  const { press, findByText, findByRole } = await renderComponent(<UndoDialog id="imp_1" onClose={() => {}} />, {
    answers: {
      "GET /dashboard/api/imports/imp_1": IMPORT,
      "POST /dashboard/api/imports/imp_1/undo": () => refusal(50301, "The service is overloaded"),
    },
  });
  await findByText("roses.xlsx");
  await press("Undo this import");
  await findByText("The import could not be undone");
  await findByRole("button", { name: "Undo this import" });
});
