import { expect, test } from "bun:test";
import { currentToken } from "./token.ts";

test("a source is asked for a new token with the one that was refused", async () => {
  const asked: (string | undefined)[] = [];
  const source = async (refused?: string) => {
    asked.push(refused);
    return refused === undefined ? "plant_a" : "plant_b";
  };
  expect([await currentToken(source), await currentToken(source, "plant_a")]).toEqual(["plant_a", "plant_b"]);
  expect(asked).toEqual([undefined, "plant_a"]);
});

test.each(["", "plant_x\r\nX-Other: 1", "plant x", "plänt"])(
  "%j cannot be a header's value: it is refused, and not repeated",
  async (token) => {
    const error = await currentToken(token).catch((reason) => reason);
    expect(error).toBeInstanceOf(TypeError);
    if (token !== "") expect(error.message).not.toContain(token);
  },
);
