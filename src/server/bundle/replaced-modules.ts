import type { BunPlugin } from "bun";

interface Replaced {
  /** The end of the module's path. */
  readonly path: string;
  readonly contents: string;
}

/**
 * Mantine's hook for ids sets another, random id in an effect, so every field, every menu and the frame render twice before
 * the browser can respond, which is a noticeable pause on slow devices. React's ids are unique in a page that one program
 * renders.
 */
const USE_ID: Replaced = {
  path: "@mantine/hooks/esm/use-id/use-id.mjs",
  contents: `import { useId as useReactId } from "react";
export function useId(staticId) {
  const id = useReactId();
  return typeof staticId === "string" ? staticId : id;
}
`,
};

/** Dialogs and tables name the library's own scroll bars, 4 kB compressed, which no page uses. */
const SCROLL_AREA: Replaced = {
  path: "@mantine/core/esm/components/ScrollArea/ScrollArea.mjs",
  contents: `export function ScrollAreaAutosize() {
  throw new Error("The build leaves ScrollArea out");
}
export const ScrollArea = { Autosize: ScrollAreaAutosize };
`,
};

/** Menus, pop-overs and folds name parts that no page uses, 2 kB compressed. */
const UNUSED_PARTS: readonly Replaced[] = [
  "core/esm/components/Menu/MenuContextMenu/MenuContextMenu",
  "core/esm/components/Menu/MenuSearch/MenuSearch",
  "core/esm/components/Menu/MenuSub/MenuSub",
  "core/esm/utils/Floating/FloatingArrow/FloatingArrow",
  "hooks/esm/use-collapse/use-horizontal-collapse",
].map((path) => ({ path: `@mantine/${path}.mjs`, contents: `export const ${partOf(path)} = () => null;` }));

/**
 * The reader and the writer of workbooks have them unpacked and packed by further threads of scripts in Blobs, which the pages' policy refuses. They
 * are in a thread of their own already.
 */
const UNZIP: Replaced = {
  path: "read-excel-file/modules/zip/unzipFromArrayBuffer.js",
  contents: `import { unzipSync } from "fflate";
export default async function unzipFromArrayBuffer(bytes, { filter }) {
  return unzipSync(new Uint8Array(bytes), { filter: ({ name }) => filter({ path: name }) });
}
`,
};

const ZIP: Replaced = {
  path: "write-excel-file/modules/zip/zipToArrayBuffer.js",
  contents: `import { zipSync } from "fflate";
export default async (files) => zipSync(files).buffer;
`,
};

/** The name that the module exports. */
function partOf(path: string): string {
  const [file = ""] = path.split("/").slice(-1);
  return file.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Replaces modules of libraries. `unused` names those that the build did not meet; an update of a library may move them. */
export function replacedModules(): { readonly plugin: BunPlugin; readonly unused: () => string[] } {
  const left = new Map(
    [USE_ID, SCROLL_AREA, UNZIP, ZIP, ...UNUSED_PARTS].map(({ path, contents }) => [path, contents]),
  );
  const unused = new Set(left.keys());
  const plugin: BunPlugin = {
    name: "replaced-modules",
    setup(build) {
      for (const [path, contents] of left) {
        build.onLoad({ filter: new RegExp(`${path.replaceAll("/", "[\\\\/]").replaceAll(".", "\\.")}$`) }, () => {
          unused.delete(path);
          return { contents, loader: "js" };
        });
      }
    },
  };
  return { plugin, unused: () => [...unused] };
}
