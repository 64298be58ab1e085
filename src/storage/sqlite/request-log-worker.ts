import { setPriority } from "node:os";
import type { RequestLogAnswer, RequestLogQuestion } from "./request-log.ts";
import { isBroken, RequestLogFile } from "./request-log-file.ts";

declare const self: Worker;

const LOW_PRIORITY = 10;
if (process.platform === "linux") setPriority(LOW_PRIORITY);

let file: RequestLogFile | undefined;

/** Writes and searches the request log on a separate thread. */
self.onmessage = ({ data }: MessageEvent<RequestLogQuestion>) => {
  self.postMessage(answered(data));
};

function answered(question: RequestLogQuestion): RequestLogAnswer {
  const { number } = question;
  try {
    if (file && !file.isThere) {
      file.close();
      file = undefined;
    }
    file ??= new RequestLogFile(question.path);
    return { number, answer: answer(file, question) };
  } catch (error) {
    // The next question opens the file again, and moves it aside if it is broken.
    if (isBroken(error) || String(error).includes("SQLITE_IOERR")) file = undefined;
    return { number, error: String(error) };
  }
}

function answer(log: RequestLogFile, question: RequestLogQuestion): unknown {
  switch (question.kind) {
    case "add":
      return log.add(JSON.parse(question.requests));
    case "list":
      return log.list(question.account, question.query);
    case "oldest":
      return log.oldest(question.account);
    case "forget":
      return log.forget(question.bounds);
    case "removeSome":
      return log.removeSome(question.account);
  }
}
