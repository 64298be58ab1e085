import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { ASVS_LEVEL_3, ASVS_LEVELS_1_AND_2 } from "./support/asvs-5.ts";
import { ROOT } from "./support/service.ts";

const document = await Bun.file(`${ROOT}/docs/security.md`).text();

interface Claim {
  readonly requirement: string;
  readonly shownBy: string;
}

/** The items that begin with numbers of requirements, or the name of a risk, in bold. */
function claims(text: string): Claim[] {
  return [...text.matchAll(/^- \*\*((?:\d|API)[^*]*)\*\* (.*)$/gm)].map(([, requirement = "", shownBy = ""]) => ({
    requirement,
    shownBy,
  }));
}

/** Lines of the first number of a claim, a file that the document names there, and some of the title of the test in it. */
const TITLES = (await Bun.file(`${ROOT}/test/fixtures/security-claims.tsv`).text())
  .trim()
  .split("\n")
  .map((line) => line.split("\t"))
  .map(([number = "", file = "", title = ""]) => ({ number, file, title }));

/** The tests of each `file` that a claim names. */
function namedTests({ requirement, shownBy }: Claim): { file: string; title: string }[] {
  const [first = ""] = requirement.split(/[, ]/);
  return [...shownBy.matchAll(/`((?:src|test)\/[\w./-]+\.test\.tsx?)`/g)].flatMap(([, file = ""]) => {
    const known = TITLES.filter((each) => each.number === first && each.file === file);
    return known.length > 0 ? known : [{ file, title: "a title that the list lacks" }];
  });
}

/** The titles of a file's tests: the strings that a function follows. */
async function titlesIn(file: string): Promise<string[]> {
  const text = await Bun.file(`${ROOT}/${file}`).text();
  const titles = text.matchAll(/"((?:[^"\\\n]|\\.)+)",\s*(?:async\s*)?\(/g);
  return [...titles].map(([, title = ""]) => title);
}

async function isTest({ file, title }: { file: string; title: string }): Promise<boolean> {
  return existsSync(`${ROOT}/${file}`) && (await titlesIn(file)).some((known) => known.includes(title));
}

test("every claim names a file with the test of that title, or says why it has none", async () => {
  const all = claims(document);
  expect(all.length).toBeGreaterThan(80);
  for (const claim of all) {
    const { requirement, shownBy } = claim;
    const named = namedTests(claim);
    expect([requirement, named.length > 0 || /^Not applicable: | — \S/.test(shownBy)]).toEqual([requirement, true]);
    for (const each of named) {
      expect(each.title.length).toBeGreaterThan(10);
      expect({ requirement, ...each, found: await isTest(each) }).toEqual({ requirement, ...each, found: true });
    }
  }
  expect(all.flatMap(namedTests)).toHaveLength(TITLES.length);
});

test("a title that no test has is noticed", async () => {
  const file = "test/security-list.test.ts";
  expect(await isTest({ file, title: "a title that no test has is noticed" })).toBe(true);
  expect(await isTest({ file, title: "a title that nobody wrote" })).toBe(false);
  expect(namedTests({ requirement: "1.1.1", shownBy: `\`${file}\`` })).toEqual([
    { file, title: "a title that the list lacks" },
  ]);
});

test("every chapter of ASVS 5 has its table or its reason, and every risk of the API Top 10 its row", () => {
  const [introduction = ""] = document.split("\n## ");
  const missing = Array.from({ length: 17 }, (_, index) => index + 1).filter((chapter) => {
    return !document.includes(`\n## V${chapter} `) && !new RegExp(`\\bV${chapter} \\(`).test(introduction);
  });
  expect(missing).toEqual([]);
  const requirements = claims(document).map(({ requirement }) => requirement);
  const risks = Array.from({ length: 10 }, (_, index) => `API${index + 1} `);
  expect(risks.filter((risk) => !requirements.some((requirement) => requirement.startsWith(risk)))).toEqual([]);
});

test("every requirement of levels 1 and 2 stands once, and no number that the standard does not have", () => {
  const apart = /^(?:10\.(?!5)|17\.)/;
  const listed = claims(document).flatMap(({ requirement }) =>
    /^\d/.test(requirement) ? requirement.split(", ") : [],
  );
  const wanted = ASVS_LEVELS_1_AND_2.filter((number) => !apart.test(number));
  expect(wanted.filter((number) => !listed.includes(number))).toEqual([]);
  expect(listed.filter((number, index) => listed.indexOf(number) !== index)).toEqual([]);
  const marked = ASVS_LEVEL_3.map((number) => `${number} (3)`);
  expect(listed.filter((number) => !wanted.includes(number) && !marked.includes(number))).toEqual([]);
});

test("a requirement stands in the table of its chapter", () => {
  for (const section of document.split("\n## ")) {
    const chapter = /^V(\d+) /.exec(section)?.[1];
    if (!chapter) continue;
    const numbers = claims(`## ${section}`).flatMap(({ requirement }) => requirement.split(", "));
    expect(numbers.filter((number) => !number.startsWith(`${chapter}.`))).toEqual([]);
  }
});
