import changelog from "#CHANGELOG.md" with { type: "text" };

export interface NotedRelease {
  readonly title: string;
  readonly parts: readonly ReleasePart[];
}

interface ReleasePart {
  /** Empty for changes without a heading of their own. */
  readonly heading: string;
  readonly changes: readonly string[];
}

/** The text without the marks of emphasis and links, whose files readers of a page do not have. A link in brackets is left out. */
function plain(markdown: string): string {
  return markdown
    .replaceAll("**", "")
    .replaceAll(/ \(\[[^\]]+\]\([^)]+\)\)/g, "")
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1");
}

/** Each release under a heading of the second level has list items, in groups that a line of text may name. */
export function releasesOf(changelog: string): NotedRelease[] {
  const [, ...sections] = changelog.split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    const parts: { heading: string; changes: string[] }[] = [];
    for (const block of lines.join("\n").split(/\n(?=- )|\n{2,}/)) {
      const text = plain(block.replaceAll(/\s+/g, " ").trim());
      if (text.startsWith("- ")) {
        if (parts.length === 0) parts.push({ heading: "", changes: [] });
        parts.at(-1)?.changes.push(text.slice(2));
      } else if (text !== "") {
        parts.push({ heading: text.replace(/^#+ /, ""), changes: [] });
      }
    }
    return { title, parts };
  });
}

export const RELEASES = releasesOf(changelog);
