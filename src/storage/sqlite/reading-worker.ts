import type { Plant } from "#core/plant.ts";
import { openForReading } from "./connection.ts";
import { exportPages } from "./plant-export.ts";
import { PlantSearch } from "./plant-search.ts";
import type { Answers, Question } from "./reading.ts";
import { TagSample } from "./tag-sample.ts";
import { answerQuestions } from "./worker-answers.ts";

const SEARCH_CACHE_KIB = 8192;

let search: PlantSearch | undefined;
let tags: TagSample | undefined;
const exports = new Map<number, Generator<readonly Plant[], undefined>>();

/** Answers questions that would block the serving thread for too long: searches and exports. */
answerQuestions(answer);

function answer(path: string, question: Question): Answers[Question["kind"]] {
  switch (question.kind) {
    case "search":
      search ??= new PlantSearch(openForReading(path, SEARCH_CACHE_KIB));
      return search.page(question.account, question.query);
    case "count":
      search ??= new PlantSearch(openForReading(path, SEARCH_CACHE_KIB));
      return search.countSlice(question.account, question.filter, question.after);
    case "tags":
      tags ??= new TagSample(openForReading(path));
      return tags.suggest(question.account);
    case "export":
      exports.set(question.export, exportPages(path, question.account));
      return nextPage(question.export);
    case "export-more":
      return nextPage(question.export);
    case "export-end":
      exports.get(question.export)?.return(undefined);
      exports.delete(question.export);
  }
}

/** An empty page means the end. A restarted thread does not know the exports of the one before it. */
function nextPage(number: number): readonly Plant[] {
  const pages = exports.get(number);
  if (!pages) throw new Error("The export broke off, because the thread that read it has ended");
  const { value } = pages.next();
  if (!value) exports.delete(number);
  return value ?? [];
}
