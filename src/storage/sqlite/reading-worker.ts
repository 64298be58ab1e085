import { setPriority } from "node:os";
import type { Plant } from "#core/plant.ts";
import { openForReading } from "./connection.ts";
import { isStorageError } from "./errors.ts";
import { exportPages } from "./plant-export.ts";
import { PlantSearch } from "./plant-search.ts";
import type { Answered, Answers, Asked, Question } from "./reading.ts";
import { TagSample } from "./tag-sample.ts";

declare const self: Worker;

/** On Linux a thread has a priority of its own: if processors are short, creates come before searches and exports. */
const LOW_PRIORITY = 10;
if (process.platform === "linux") setPriority(LOW_PRIORITY);

/** Answers questions that would block the serving thread for too long: searches and exports. */
self.onmessage = ({ data: { path, number, question } }: MessageEvent<Asked>) => {
  self.postMessage(answered(path, number, question));
};

const SEARCH_CACHE_KIB = 8192;

let search: PlantSearch | undefined;
let tags: TagSample | undefined;
const exports = new Map<number, Generator<readonly Plant[], undefined>>();

function answered(path: string, number: number, question: Question): Answered {
  try {
    return { number, answer: answer(path, question) };
  } catch (error) {
    return { number, error: String(error), isStorageError: isStorageError(error) };
  }
}

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
