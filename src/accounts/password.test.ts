import { expect, test } from "bun:test";
import { PASSWORDS, requireRoomForPassword, verifyPassword } from "./password.ts";

test("a network with many passwords under way is refused another, and keeps no other network waiting", async () => {
  const [many, other] = [{ address: "192.0.2.1" }, { address: "192.0.2.2" }];
  const ended: string[] = [];
  const verified = (origin: typeof many) =>
    verifyPassword("wrong", undefined, origin).then(() => ended.push(origin.address));
  const all = Array.from({ length: PASSWORDS.each + PASSWORDS.waitingEach }, () => verified(many));
  expect(() => requireRoomForPassword(many)).toThrow(
    expect.objectContaining({
      code: "rate-limited",
      detail: { headers: expect.objectContaining({ "Retry-After": "1" }) },
    }),
  );
  requireRoomForPassword(other);
  await verified(other);
  expect(ended.length).toBeLessThan(all.length / 2);
  await Promise.all(all);
  requireRoomForPassword(many);
});
