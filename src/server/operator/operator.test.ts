import { expect, test } from "bun:test";
import { currentOperator } from "./operator.ts";

test("an operator has the name of the system's user, also where the environment has none, as in a job", () => {
  const { USER } = process.env;
  try {
    delete process.env.USER;
    const name = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
    expect(currentOperator().actor.name).toBe(name);
  } finally {
    if (USER !== undefined) process.env.USER = USER;
  }
});
