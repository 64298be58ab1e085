import { Skeleton } from "@mantine/core";
import { useAnswer } from "../api/asking.ts";

const MODULE = 4;

/** The size of the largest QR code version that a sign-in needs, with its border. */
const SIZE_ESTIMATED = 53;

/** Dark on white in both themes, as cameras require. The encoder is loaded on demand, since it is rarely needed. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const encoder = useAnswer(["qr-encoder"], () => import("uqr"), {
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  // Without the picture the reader still has the text beside it.
  if (!encoder.data) return encoder.isPending && <Skeleton w={SIZE_ESTIMATED * MODULE} h={SIZE_ESTIMATED * MODULE} />;
  const { data, size } = encoder.data.encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      width={size * MODULE}
      height={size * MODULE}
      viewBox={`0 0 ${size} ${size}`}
      style={{ maxWidth: "100%", background: "#fff", borderRadius: 8 }}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </svg>
  );
}
