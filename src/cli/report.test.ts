import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test";
import { CommanderError } from "commander";
import { PlantstoreError } from "#client/error.ts";
import { Failure } from "#core/failure.ts";
import { InvalidSetting } from "#server/settings.ts";
import { connect } from "./command.ts";
import { typedId } from "./commands/plants.ts";
import { Interrupted, interruptible } from "./interrupt.ts";
import { reportFailure, UsageError } from "./report.ts";

let note: Mock<typeof console.error>;
beforeEach(() => {
  note = spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => note.mockRestore());

const printed = () => note.mock.calls.map(([line]) => line).join("\n");

function thrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe("the exit code", () => {
  test.each([
    [1, "an error", new Error("it failed")],
    [1, "a refusal", new Failure("unavailable", "The storage is full")],
    [1, "a text", "just a text"],
    [1, "nothing", undefined],
    [2, "wrong usage", new UsageError("Give the id once")],
    [2, "a wrong setting", new InvalidSetting("PORT must be a number")],
    [2, "an unknown option", new CommanderError(1, "commander.unknownOption", "unknown option")],
    [0, "the help", new CommanderError(0, "commander.help", "help")],
    [130, "Ctrl-C", new Interrupted("Stopped.")],
  ])("is %p for %s", (code, _, error) => {
    expect(reportFailure(error)).toBe(code);
  });
});

describe("the report of a failure", () => {
  test("is one line that begins with the program's name, and no stack", () => {
    reportFailure(new Error("it failed"));
    expect(printed()).toBe("plantstore: it failed");
  });

  test("has the number and the request of the service's refusal, so that its log can be searched", () => {
    const refused = { error: 40901, code: "id-taken", status: 409, message: "There is another plant 7" } as const;
    reportFailure(Object.assign(Object.create(PlantstoreError.prototype), refused, { requestId: "req_1" }));
    expect(printed()).toBe("plantstore: There is another plant 7 (40901, request req_1)");
  });

  test("cannot be made to move the cursor by a name in it", () => {
    reportFailure(new Error("there is no \u001b[2Jplant"));
    expect(printed()).toBe("plantstore: there is no \\u001b[2Jplant");
  });

  test("is left to Commander for a line that was typed wrongly", () => {
    reportFailure(new CommanderError(1, "commander.unknownOption", "unknown option"));
    expect(printed()).toBe("");
  });
});

describe("an id that was typed", () => {
  test.each([
    ["42", undefined, 42n],
    [undefined, "-5", -5n],
  ])("as %p or --id=%p is %p", (argument, option, id) => {
    expect(typedId(argument, option)).toBe(id);
  });

  test.each([
    ["1.5", undefined],
    [undefined, ""],
    ["1", "1"],
    [undefined, undefined],
  ])("as %p or --id=%p is wrong usage", (argument, option) => {
    expect(() => typedId(argument, option)).toThrow(UsageError);
  });
});

describe("a client's command", () => {
  test.each([
    [{ url: "http://127.0.0.1:3000" }, "Give an access token: PLANTSTORE_TOKEN"],
    [{ url: "http://127.0.0.1:3000", token: "" }, "Give an access token: PLANTSTORE_TOKEN"],
  ])("with %p is refused as wrong usage", (options, message) => {
    const error = thrown(() => connect(options));
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(message);
  });
});

describe("work that Ctrl-C stops", () => {
  test("ends in order, and says how far it came", async () => {
    const working = interruptible(
      (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      () => "Up to line 7 everything was sent.",
    );
    process.emit("SIGINT");
    await expect(working).rejects.toThrow("Stopped. Up to line 7 everything was sent.");
    expect(process.listenerCount("SIGINT")).toBe(0);
  });

  test("leaves its result and its own errors as they are", async () => {
    expect(
      await interruptible(
        async () => 7,
        () => "",
      ),
    ).toBe(7);
    const failing = interruptible(
      async () => {
        throw new Error("no space left");
      },
      () => "",
    );
    await expect(failing).rejects.toThrow("no space left");
    expect(process.listenerCount("SIGINT")).toBe(0);
  });
});
