import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { METRICS } from "#core/metrics.ts";
import { SETTINGS } from "#server/settings.ts";

/** Finds settings, metrics, errors and audit actions that stand in their tables and that no code uses. */
const ROOT = join(import.meta.dir, "..");

/** The texts of files by their paths from the root. */
export type Sources = ReadonlyMap<string, string>;

interface Kind {
  /** The problem with an unused name, in words that follow it. */
  readonly unused: string;
  readonly names: (sources: Sources) => readonly string[];
  /** The files and folders that only list or describe these names. */
  readonly without: readonly string[];
  readonly isUse: (node: ts.Node) => boolean;
}

const AUDIT_ACTIONS = "src/core/audit.ts";

const KINDS: readonly Kind[] = [
  { unused: "is a setting that nothing reads", names: () => Object.keys(SETTINGS), without: [], isUse: isMemberRead },
  {
    unused: "is a metric that nothing sets",
    names: () => Object.keys(METRICS),
    without: ["src/core/metrics.ts", "src/load/limits.ts"],
    isUse: isValue,
  },
  {
    unused: "is an error that nothing throws",
    names: () => [...Object.keys(ERROR_NUMBERS), ...Object.keys(DASHBOARD_ERRORS)],
    without: ["src/contract/"],
    isUse: isValue,
  },
  {
    unused: "is an audit action that nothing records",
    names: (sources) => auditActions(parsed(AUDIT_ACTIONS, sources.get(AUDIT_ACTIONS) ?? "")),
    without: [AUDIT_ACTIONS],
    isUse: isValue,
  },
];

/** The code that runs in the service: the pages and the client only show what it names. */
export function readSources(): Sources {
  const isRead = (file: string) => !/^src\/(?:dashboard|client)\/|\.test\.ts$/.test(file);
  const files = [...new Bun.Glob("src/**/*.ts").scanSync(ROOT)].filter(isRead);
  return new Map(files.sort().map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

/** A sentence for each unused name. `planted` are further names, as if they stood in the table of each kind. */
export function unusedNames(sources: Sources, planted: readonly string[] = []): string[] {
  const kinds = KINDS.map((kind) => ({ ...kind, left: new Set([...kind.names(sources), ...planted]) }));
  for (const [file, text] of sources) {
    const open = kinds.filter(({ without }) => !without.some((path) => file.startsWith(path)));
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node) || ts.isStringLiteralLike(node)) {
        for (const { left, isUse } of open) if (left.has(node.text) && isUse(node)) left.delete(node.text);
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed(file, text));
  }
  return kinds.flatMap(({ left, unused }) => [...left].map((name) => `${name} ${unused}`));
}

function parsed(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** True for `settings.NAME`, `{ NAME }` and `{ NAME: name }` on the left of an assignment or as a parameter. */
function isMemberRead(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return ts.isBindingElement(parent) && (parent.propertyName ?? parent.name) === node;
}

/** True for a text that is handed on: not a type, a key, an element of a list, or one that another text is compared with. */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isStringLiteralLike(node) || ts.isLiteralTypeNode(parent) || ts.isCaseClause(parent)) return false;
  if (ts.isArrayLiteralExpression(parent)) return false;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !ts.isBinaryExpression(parent) || !/^[!=]==?$/.test(parent.operatorToken.getText());
}

/** As in "token.created", from the members of `interface Actions`. */
function auditActions(file: ts.SourceFile): string[] {
  const actions = file.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === "Actions");
  return [...(actions?.members ?? [])].filter(ts.isPropertySignature).flatMap(({ name, type }) => {
    return Array.from(type?.getText().matchAll(/"(\w+)"/g) ?? [], ([, act]) => `${name.getText()}.${act}`);
  });
}
