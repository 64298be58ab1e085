import { inflateSync } from "node:zlib";
import jsQr from "jsqr";

/** Of a label printer. */
const DOTS_PER_POINT = 203 / 72;
/** A QR code has more dark shapes than anything else of a page. */
const CODE_SHAPES_MIN = 50;
const QUIET_MODULES = 4;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** One shape that is filled, in points of the page. */
interface Fill {
  readonly isDark: boolean;
  readonly boxes: readonly Box[];
  readonly bounds: Box;
}

/** Reads the text of a QR code. */
type ReadCode = () => string;

/** The QR codes on each page of a PDF, as a reader sees them that are printed with 203 dots an inch. */
export function printedCodes(pdf: Buffer): ReadCode[][] {
  return contentsOf(pdf).map((content) => {
    const { fills } = new Canvas(content);
    const codes = fills.filter(({ isDark, boxes }) => isDark && boxes.length >= CODE_SHAPES_MIN);
    return codes.map(
      ({ boxes }) =>
        () =>
          read(fills, around(boxes)),
    );
  });
}

/** The content streams of the pages, which alone draw rectangles. */
function contentsOf(pdf: Buffer): string[] {
  const streams = pdf.toString("latin1").matchAll(/<<[^<>]*\/Filter \/FlateDecode[^<>]*>>\s*stream\r?\n/g);
  return [...streams].flatMap((found) => {
    const start = found.index + found[0].length;
    const length = Number(/\/Length (\d+)/.exec(found[0])?.[1]);
    const content = inflateSync(pdf.subarray(start, start + length)).toString("latin1");
    return /^[\d.-]+( [\d.-]+){5} cm$/m.test(content) ? [content] : [];
  });
}

interface Graphics {
  /** Scale and offset: nothing on a label is turned. */
  readonly matrix: readonly [xScale: number, yScale: number, x: number, y: number];
  readonly clip: Box;
  readonly isDark: boolean;
}

const EVERYWHERE: Box = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

/** Reads the operators of PDF that Chromium writes (ISO 32000-1, 8.4 and 8.5), of shapes that are made of rectangles. */
class Canvas {
  readonly fills: Fill[] = [];
  readonly #outer: Graphics[] = [];
  #now: Graphics = { matrix: [1, 1, 0, 0], clip: EVERYWHERE, isDark: true };
  #boxes: Box[] = [];

  readonly #operators: Readonly<Record<string, (...numbers: number[]) => void>> = {
    q: () => this.#outer.push(this.#now),
    Q: () => {
      this.#now = this.#outer.pop() ?? this.#now;
    },
    cm: (a = 0, _b, _c, d = 0, e = 0, f = 0) => {
      const [xScale, yScale, x, y] = this.#now.matrix;
      this.#now = { ...this.#now, matrix: [xScale * a, yScale * d, x + xScale * e, y + yScale * f] };
    },
    rg: (...colour) => {
      this.#now = { ...this.#now, isDark: colour.every((each) => each < 0.5) };
    },
    re: (x = 0, y = 0, width = 0, height = 0) => this.#boxes.push(this.#boxOf([x, y], [x + width, y + height])),
    m: (x = 0, y = 0) => this.#boxes.push(this.#boxOf([x, y])),
    l: (x = 0, y = 0) => {
      const begun = this.#boxes.pop();
      this.#boxes.push(around([...(begun ? [begun] : []), this.#boxOf([x, y])], 0));
    },
    f: () => {
      const boxes = this.#boxes.map((box) => within(box, this.#now.clip));
      this.fills.push({ isDark: this.#now.isDark, boxes, bounds: around(boxes, 0) });
      this.#boxes = [];
    },
    W: () => {
      this.#now = { ...this.#now, clip: this.#boxes.reduce(within, this.#now.clip) };
    },
    n: () => {
      this.#boxes = [];
    },
  };

  constructor(content: string) {
    for (const [, numbers = "", operator = ""] of content.matchAll(/((?:[\d.-]+ )*)([a-zA-Z]+)\*?(?=\s)/g)) {
      this.#operators[operator]?.(...numbers.trim().split(" ").map(Number));
    }
  }

  #boxOf(...corners: readonly (readonly [number, number])[]): Box {
    const [xScale, yScale, x, y] = this.#now.matrix;
    const xs = corners.map(([each]) => x + xScale * each);
    const ys = corners.map(([, each]) => y + yScale * each);
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  }
}

function within(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

/** What has all of the shapes of a code, and its quiet zone. */
function around(boxes: readonly Box[], modules = QUIET_MODULES): Box {
  const margin = modules * Math.min(...boxes.map(({ top, bottom }) => bottom - top));
  return {
    left: Math.min(...boxes.map(({ left }) => left)) - margin,
    top: Math.min(...boxes.map(({ top }) => top)) - margin,
    right: Math.max(...boxes.map(({ right }) => right)) + margin,
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)) + margin,
  };
}

function read(fills: readonly Fill[], place: Box): string {
  const [width, height] = [dots(place.right - place.left), dots(place.bottom - place.top)];
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  for (const { isDark, boxes, bounds } of fills) {
    if (bounds.left >= place.right || bounds.right <= place.left) continue;
    if (bounds.top >= place.bottom || bounds.bottom <= place.top) continue;
    for (const box of boxes) paint(pixels, width, isDark ? 0 : 255, onPicture(within(box, place), place));
  }
  return jsQr(pixels, width, height, { inversionAttempts: "dontInvert" })?.data ?? "unreadable";
}

/** In dots of a picture of the place. The y axis of a page points up. */
function onPicture({ left, top, right, bottom }: Box, place: Box): Box {
  return {
    left: dots(left - place.left),
    top: dots(place.bottom - bottom),
    right: dots(right - place.left),
    bottom: dots(place.bottom - top),
  };
}

function paint(pixels: Uint8ClampedArray, width: number, value: number, { left, top, right, bottom }: Box): void {
  if (right <= left) return;
  for (let row = top; row < bottom; row++) pixels.fill(value, 4 * (row * width + left), 4 * (row * width + right));
}

function dots(points: number): number {
  return Math.round(points * DOTS_PER_POINT);
}
