import { expect, test } from "bun:test";
import { baseAddress, currentToken } from "./call-options.ts";

test("a base address may have a path, and slashes at its end are dropped", () => {
  expect(baseAddress("https://plants.example.com/")).toBe("https://plants.example.com");
  expect(baseAddress("http://[::1]:3000/store//")).toBe("http://[::1]:3000/store");
  expect(baseAddress(new URL("http://localhost"))).toBe("http://localhost");
});

test.each([
  "plants.example.com",
  "ftp://plants.example.com",
  "",
  "https://plants.example.com/?a=1",
  "https://plants.example.com/#a",
])("%p is no base address", (url) => {
  expect(() => baseAddress(url)).toThrow(TypeError);
});

test("an address with a password is refused, and the password not repeated", () => {
  let message = "";
  try {
    baseAddress("https://rose:thorn@plants.example.com");
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain("no user, password");
  expect(message).not.toContain("thorn");
});

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
