import { Drawer } from "@mantine/core";
import { PlantAdder } from "./plant-adder.tsx";
import { PlantReader } from "./plant-reader.tsx";

interface PlantPanelProps {
  /** The plant to read and edit. */
  readonly id: string | undefined;
  readonly adding: boolean;
  readonly onClose: () => void;
}

/** Reads, edits and adds a plant, beside the list. */
export function PlantPanel({ id, adding, onClose }: PlantPanelProps) {
  const opened = id !== undefined || adding;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={440}
      title={adding ? "Add a plant" : `Plant ${id ?? ""}`}
      closeButtonProps={{ "aria-label": "Close" }}
      overlayProps={{ opacity: 0.35 }}
      styles={{ title: { overflowWrap: "anywhere", fontWeight: 650 } }}
    >
      {adding && <PlantAdder onClose={onClose} />}
      {!adding && id !== undefined && <PlantReader key={id} id={id} onClose={onClose} />}
    </Drawer>
  );
}
