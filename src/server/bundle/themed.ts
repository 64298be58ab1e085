import type { Output } from "./compress.ts";

const HASH_LENGTH = 8;

/** Adds the theme's variables to the style sheets, so that the first paint has them before any program runs. */
export async function themed(outputs: readonly Output[]): Promise<Output[]> {
  // It is imported here because it needs libraries, and the build looks for these first.
  const { themeStyles } = await import("#dashboard/program/prerender.tsx");
  const styles = themeStyles();
  return outputs.map((output) => (output.name.endsWith(".css") ? withStyles(output, styles) : output));
}

/** Appends the styles, and names the file by a hash of its new content. */
function withStyles({ name, type, bytes }: Output, styles: string): Output {
  const content = new TextEncoder().encode(`${new TextDecoder().decode(bytes)}\n${styles}\n`);
  const hash = new Bun.CryptoHasher("sha256").update(content).digest("hex").slice(0, HASH_LENGTH);
  return { name: name.replace(/-[^-]+\.css$/, `-${hash}.css`), type, bytes: content };
}
