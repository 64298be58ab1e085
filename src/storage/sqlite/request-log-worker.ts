import type { RequestLogQuestion } from "./request-log.ts";
import { isBroken, RequestLogFile } from "./request-log-file.ts";
import { answerQuestions } from "./worker-answers.ts";

let file: RequestLogFile | undefined;

/** Writes and searches the request log on a separate thread. */
answerQuestions((path: string, question: RequestLogQuestion) => {
  try {
    if (file && !file.isThere) {
      file.close();
      file = undefined;
    }
    file ??= new RequestLogFile(path);
    return answer(file, question);
  } catch (error) {
    // The next question opens the file again, and moves it aside if it is broken.
    if (isBroken(error) || String(error).includes("SQLITE_IOERR")) file = undefined;
    throw error;
  }
});

function answer(log: RequestLogFile, question: RequestLogQuestion): unknown {
  switch (question.kind) {
    case "add":
      return log.add(JSON.parse(question.requests), question.bytesMax);
    case "list":
      return log.list(question.account, question.query);
    case "oldest":
      return log.oldest(question.account);
    case "forget":
      return log.forget(question.from);
    case "removeSome":
      return log.removeSome(question.account);
  }
}
