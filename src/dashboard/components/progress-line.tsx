import type { Ref } from "react";

interface ProgressLineProps {
  readonly label: string;
  /** From 0 to 1; undefined while it is not known. */
  readonly share: number | undefined;
  readonly ref?: Ref<HTMLProgressElement>;
}

/** A progress bar as wide as its place. It takes the focus where `ref` gives it. */
export function ProgressLine({ label, share, ref }: ProgressLineProps) {
  return (
    <progress
      style={{ width: "100%", accentColor: "var(--mantine-color-leaf-filled)" }}
      value={share}
      aria-label={label}
      tabIndex={-1}
      ref={ref}
    />
  );
}
