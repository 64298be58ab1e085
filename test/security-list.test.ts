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

/** Lines of a number of a requirement, or the name of a risk, a file, and some of the title of the test in it. */
const TITLES = (await Bun.file(`${ROOT}/test/fixtures/security-claims.tsv`).text())
  .trim()
  .split("\n")
  .map((line) => line.split("\t"))
  .map(([number = "", file = "", title = ""]) => ({ number, file, title }));

/** The tests that show a claim, by any of its numbers. */
function testsOf({ requirement }: Claim): typeof TITLES {
  const numbers = requirement.split(/[, ]+/);
  return TITLES.filter(({ number }) => numbers.includes(number));
}

/** The titles of a file's tests: the strings that a function follows. */
async function titlesIn(file: string): Promise<string[]> {
  const text = await Bun.file(`${ROOT}/${file}`).text();
  const titles = text.matchAll(/"((?:[^"\\\n]|\\.)+)",\s*(?:async\s*)?\(/g);
  return [...titles].map(([, title = ""]) => title);
}

async function isTest({ file, title }: { readonly file: string; readonly title: string }): Promise<boolean> {
  return existsSync(`${ROOT}/${file}`) && (await titlesIn(file)).some((known) => known.includes(title));
}

test("every claim has a test of that title in its file, or says why it has none", async () => {
  const all = claims(document);
  expect(all.length).toBeGreaterThan(80);
  for (const claim of all) {
    const { requirement, shownBy } = claim;
    const tests = testsOf(claim);
    expect([requirement, tests.length > 0 || /^Not applicable: | — \S/.test(shownBy)]).toEqual([requirement, true]);
    for (const each of tests) {
      expect(each.title.length).toBeGreaterThan(10);
      expect({ requirement, ...each, found: await isTest(each) }).toEqual({ requirement, ...each, found: true });
    }
  }
  expect(all.flatMap(testsOf)).toHaveLength(TITLES.length);
});

test("a title that no test has is noticed", async () => {
  const file = "test/security-list.test.ts";
  expect(await isTest({ file, title: "a title that no test has is noticed" })).toBe(true);
  expect(await isTest({ file, title: "a title that nobody wrote" })).toBe(false);
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
