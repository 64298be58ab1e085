import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { atEnd } from "./at-end.ts";
import { type LibrarySymbols, stubLibrary } from "./stub-library.ts";

const PACKAGE = join(import.meta.dir, "../../node_modules/@sparticuz/chromium");
const PRINTED_LENGTH_MAX = 4000;
/** One start of some hundred ends by a fault of the browser's own, in a thread that begins before all else is ready. */
const STARTS_MAX = 3;

/** Root has no sandbox. The other flags keep the browser from sending requests of its own. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

/** Only the fonts of the package, so that text has the same size on every machine. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * The package lacks a library that its browser loads before its first page over HTTPS, for a store of certificates that it
 * then goes without. Here on every machine it finds one that opens none.
 */
const SQLITE: LibrarySymbols = {
  functions: [
    ...["bind_blob", "bind_int", "bind_text", "busy_timeout", "close", "column_blob", "column_bytes", "column_int"],
    ...["column_text", "exec", "file_control", "finalize", "free", "mprintf", "open_v2", "prepare_v2", "reset", "step"],
  ].map((name) => `sqlite3_${name}`),
  objects: ["sqlite3_temp_directory"],
};
/** Counts the changes of what is made of the package. */
const UNPACKED_VERSION = 2;

/** Playwright shows the browser's output only if a launch fails. This script keeps it for a browser that dies later. */
const START_SCRIPT = `#!/bin/sh
exec "$CHROMIUM_PROGRAM" "$@" 2>>"$CHROMIUM_OUTPUT"
`;

/**
 * Unpacks the browser with its libraries and fonts from its npm package, and returns the folder. Several processes may
 * do this at the same time.
 */
async function unpackChromium(): Promise<string> {
  const { version } = await Bun.file(join(PACKAGE, "package.json")).json();
  const folder = join(import.meta.dir, "../../node_modules/.cache/chromium", `${version}-${UNPACKED_VERSION}`);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(partial, { recursive: true });
  await Promise.all([
    unpack("chromium.br").then((program) => Bun.write(join(partial, "chromium"), program)),
    ...["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"].map(async (name) =>
      extract(await unpack(name), partial),
    ),
  ]);
  await Bun.write(join(partial, "fonts.conf"), FONTS);
  await Bun.write(join(partial, "lib/libsqlite3.so.0"), stubLibrary("libsqlite3.so.0", SQLITE));
  await Bun.write(join(partial, "start"), START_SCRIPT);
  for (const program of ["chromium", "start"]) chmodSync(join(partial, program), 0o755);
  try {
    renameSync(partial, folder);
  } catch (cause) {
    rmSync(partial, { recursive: true });
    if (!existsSync(folder)) throw cause;
  }
  return folder;
}

async function unpack(name: string): Promise<Buffer> {
  return promisify(brotliDecompress)(await Bun.file(join(PACKAGE, "bin", name)).bytes());
}

async function extract(archive: Buffer, folder: string): Promise<void> {
  const tar = Bun.spawn(["tar", "-x", "--no-same-owner", "-C", folder], { stdin: archive });
  if ((await tar.exited) !== 0) throw new Error(`tar cannot extract into ${folder}`);
}

export interface LaunchedChromium {
  readonly browser: Browser;
  /** Throws if the browser has died. */
  check(): void;
}

/**
 * Launches a real Chromium: the one from npm, or the program that TEST_BROWSER names. If it dies without being closed,
 * one message says so together with the browser's own output.
 */
export async function launchChromium(report: (message: string) => void = console.error): Promise<LaunchedChromium> {
  const folder = await unpackChromium();
  const output = join(mkdtempSync(join(tmpdir(), "plantstore-chromium-")), "output");
  const printed = () =>
    (existsSync(output) ? readFileSync(output, "utf8").slice(-PRINTED_LENGTH_MAX) : "") || "nothing";
  const options = {
    executablePath: join(folder, "start"),
    args: FLAGS,
    headless: process.env.HEADED === undefined,
    env: environment(folder, output),
  };
  const browser = await started(options).catch((cause) => {
    throw new Error(`Chromium does not start. It printed: ${printed()}`, { cause });
  });
  atEnd(() => {
    rmSync(join(output, ".."), { recursive: true, force: true });
    return browser.close();
  });
  browser.on("disconnected", () => {
    if (!existsSync(output)) return;
    report(`Chromium has died, so every later test that needs this browser fails at once. It printed: ${printed()}`);
  });
  return {
    browser,
    check() {
      if (!browser.isConnected()) throw new Error("Chromium has died. An earlier message shows its output.");
    },
  };
}

async function started(options: LaunchOptions, starts = 1): Promise<Browser> {
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (starts === STARTS_MAX || !String(error).includes("signal=SIGSEGV")) throw error;
    return started(options, starts + 1);
  }
}

/** Screenshots for the documents use the machine's own fonts, with CHROMIUM_FONTS=machine. */
function environment(folder: string, output: string): Record<string, string> {
  const { PATH = "", HOME = "", DISPLAY = "", TEST_BROWSER, CHROMIUM_FONTS } = process.env;
  return {
    PATH,
    HOME,
    DISPLAY,
    CHROMIUM_OUTPUT: output,
    CHROMIUM_PROGRAM: TEST_BROWSER ?? join(folder, "chromium"),
    ...(TEST_BROWSER ? {} : { LD_LIBRARY_PATH: join(folder, "lib") }),
    ...(CHROMIUM_FONTS === "machine" ? {} : { FONTCONFIG_FILE: join(folder, "fonts.conf") }),
  };
}
