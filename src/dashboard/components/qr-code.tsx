import { Skeleton } from "@mantine/core";
import type { encode } from "uqr";
import { useAnswer } from "../api/asking.ts";

const MODULE = 4;

/** The size of the largest QR code version that a sign-in needs, with its border. */
const SIZE_ESTIMATED = 53;

/** The encoder is loaded on demand, since it is rarely needed. */
export function loadQrEncoder() {
  return import("uqr");
}

/** The dark squares of a code as the path of an SVG, each of one unit, and the units of a side with its border. */
export interface QrDrawing {
  readonly path: string;
  readonly size: number;
}

/** Draws with the loaded encoder. Dark squares beside each other are one shape, so that no seam is printed between them. */
export function drawQrCode(encoder: { readonly encode: typeof encode }, text: string, border: number): QrDrawing {
  const { data, size } = encoder.encode(text, { border });
  const runs = data.flatMap((row, y) =>
    [...row.map(Number).join("").matchAll(/1+/g)].map(({ index: x, 0: run }) => `M${x} ${y}h${run.length}v1H${x}z`),
  );
  return { path: runs.join(""), size };
}

/** Dark on white in both themes, as cameras require. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const encoder = useAnswer(["qr-encoder"], loadQrEncoder, {
    structuralSharing: false,
  });
  // The text beside it serves the reader until the picture is there.
  if (!encoder.data) return encoder.isPending && <Skeleton w={SIZE_ESTIMATED * MODULE} h={SIZE_ESTIMATED * MODULE} />;
  const drawing = drawQrCode(encoder.data, text, 2);
  return <QrPicture drawing={drawing} label={label} side={drawing.size * MODULE} />;
}

interface QrPictureProps {
  readonly drawing: QrDrawing;
  readonly label: string;
  /** Side length in pixels; undefined fills the available width. */
  readonly side?: number;
}

export function QrPicture({ drawing: { path, size }, label, side }: QrPictureProps) {
  return (
    <svg
      role="img"
      aria-label={label}
      width={side ?? "100%"}
      height={side}
      viewBox={`0 0 ${size} ${size}`}
      style={{ display: "block", maxWidth: "100%", background: "#fff", borderRadius: side && 8 }}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
