import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Output, writeCompressed } from "./compress.ts";
import { downloads } from "./downloads.ts";
import { htmlPages, required } from "./html-pages.ts";
import { inputsHash } from "./inputs.ts";
import type { BundleManifest } from "./manifest.ts";
import { replacedModules } from "./replaced-modules.ts";

/**
 * Builds the dashboard's pages and what the service hands out: `bun src/server/bundle/build.ts [FOLDER]`, by default into dist/dashboard. `npm ci`
 * runs it. Pages built from the same sources are left unchanged.
 */
const ROOT = join(import.meta.dir, "../../..");

await build(process.argv[2] ?? join(ROOT, "dist/dashboard"));

async function build(folder: string): Promise<void> {
  const inputs = await inputsHash(ROOT);
  if ((await builtInputs(folder)) === inputs) return;
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(join(dirname(folder), ".dashboard-"));
  try {
    await writeBuild(draft, inputs);
    // The user that installs the service need not be the one that it runs as.
    await chmod(draft, 0o755);
    await rm(folder, { recursive: true, force: true });
    // Another build may have been as quick; both come from the same sources.
    await rename(draft, folder).catch(async (cause) => {
      if ((await builtInputs(folder)) !== inputs) throw cause;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function builtInputs(folder: string): Promise<string | undefined> {
  const manifest = Bun.file(join(folder, "manifest.json"));
  return (await manifest.exists()) ? ((await manifest.json()) as BundleManifest).inputs : undefined;
}

async function writeBuild(folder: string, inputs: string): Promise<void> {
  const outputs = await themed(await bundled());
  const icon = required(outputs, "icon", ".svg");
  const pages = await htmlPages(outputs, icon, ROOT);
  await Promise.all([...outputs, ...pages.outputs].map((output) => writeCompressed(folder, output)));
  const files = outputs.map(({ name, type }) => ({ name, type }));
  const guides = Object.entries(pages.guides).map(([path, { name, type }]) => ({ path, name, type }));
  const handedOut = await downloads(ROOT);
  await Promise.all(handedOut.map(({ name, bytes }) => Bun.write(join(folder, "downloads", name), bytes)));
  const names = handedOut.map(({ name }) => name);
  const manifest: BundleManifest = { inputs, pages: pages.names, guides, icon, files, downloads: names };
  await Bun.write(join(folder, "manifest.json"), JSON.stringify(manifest));
}

async function bundled(): Promise<Output[]> {
  const replaced = replacedModules();
  const built = await Bun.build({
    plugins: [replaced.plugin],
    entrypoints: ["program/main.tsx", "program/outside.tsx", "program/guides.ts", "program/first-paint.ts"].map(
      (file) => join(ROOT, "src/dashboard", file),
    ),
    root: join(ROOT, "src/dashboard"),
    target: "browser",
    minify: true,
    splitting: true,
    publicPath: "/dashboard/assets/",
    naming: { entry: "[name]-[hash].[ext]", chunk: "chunk-[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const [unused] = replaced.unused();
  if (unused) throw new Error(`There is no ${unused} any more: see src/server/bundle/replaced-modules.ts`);
  return Promise.all(
    built.outputs.map(async (file) => ({
      name: file.path.replace(/^\.?\//, ""),
      type: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}

/** Adds the theme's variables to the style sheets, so that the first paint has them before any program runs. */
async function themed(outputs: readonly Output[]): Promise<Output[]> {
  // It is imported here because it needs libraries, and the build looks for these first.
  const { themeStyles } = await import("#dashboard/program/prerender.tsx");
  const styles = themeStyles();
  const shade = /--mantine-color-([a-z]+)-[\w-]+:[^;}]+;?/g;
  const text = (output: Output) => new TextDecoder().decode(output.bytes);
  // Mantine has fourteen colours of some thirty variables each.
  const users = outputs.map((output) => text(output).replace(shade, "")).join("\n");
  const isUsed = (color: string) => users.includes(`"${color}"`) || users.includes(`var(--mantine-color-${color}-`);
  return outputs.map((output) => {
    if (!output.name.endsWith(".css")) return output;
    const css = `${text(output)}\n${styles}\n`.replace(shade, (variable, color) => (isUsed(color) ? variable : ""));
    return withContent(output, css);
  });
}

/** Names the file by a hash of its new content. */
function withContent({ name, type }: Output, text: string): Output {
  const content = new TextEncoder().encode(text);
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, 8);
  return { name: name.replace(/-[^-]+\.css$/, `-${hash}.css`), type, bytes: content };
}
