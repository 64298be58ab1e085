import type { Message } from "./messages.ts";

/** The message as plain text, with lines of any length. */
export function plainText({ paragraphs, link }: Message): string {
  const parts = link ? [...paragraphs, `${link.label}:\n${link.url}`] : paragraphs;
  return `${parts.join("\n\n")}\n\n-- \nPlantstore\n`;
}

/** The same message as HTML: one column, system fonts, no images, and nothing that has to be loaded. */
export function html({ subject, paragraphs, link }: Message): string {
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px">${escaped(text)}</p>`).join("\n");
  const button = link
    ? `<p style="margin:24px 0"><a href="${escaped(link.url)}" style="background:#2b7a3d;color:#ffffff;padding:10px 16px;border-radius:4px;text-decoration:none">${escaped(link.label)}</a></p>
<p style="margin:0;color:#5c5f66;font-size:13px;word-break:break-all">${escaped(link.url)}</p>`
    : "";
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1f2328;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px">
<p style="margin:0 0 24px;font-weight:600">Plantstore</p>
${body}
${button}
</div>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
