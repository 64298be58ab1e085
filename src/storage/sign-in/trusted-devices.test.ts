import { expect, test } from "bun:test";
import type { Person } from "#core/person.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { TrustedDevices } from "./trusted-devices.ts";

describeRecords("trusted devices on %s", (testRecords) => {
  const devices = new TrustedDevices(testRecords.storage);

  async function trust(person: Person, secret: string, now: number, expiresAt = 10_000): Promise<void> {
    const device = { hash: Buffer.from(secret), userAgent: "Firefox", address: "192.0.2.7", expiresAt };
    await testRecords.storage.atomically(devices.adding(person, device, now));
  }

  test("is found by its secret in its own account until its end", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    const secret = crypto.randomUUID();
    await trust(person, secret, 1000, 2000);
    const found = await devices.find(person, Buffer.from(secret), 1999);
    expect(found).toMatchObject({ userAgent: "Firefox", address: "192.0.2.7", createdAt: 1000, expiresAt: 2000 });
    expect(await devices.find(person, Buffer.from(secret), 2000)).toBeUndefined();
    expect(await devices.find(other, Buffer.from(secret), 1999)).toBeUndefined();
  });

  test("gives way to a hundred that were used after it", async () => {
    const person = await testRecords.holder();
    for (let at = 0; at < 102; at++) await trust(person, `${person.id} ${at}`, 1000 + at);
    const listed = (await devices.list(person, 2000)).map(({ createdAt }) => createdAt);
    expect([listed.length, listed.at(0), listed.at(-1)]).toEqual([100, 1101, 1002]);
  });

  test("is forgotten by its own account alone: one of them, or all", async () => {
    const [person, other] = [await testRecords.holder(), await testRecords.holder()];
    for (const each of [person, person, person, other]) await trust(each, crypto.randomUUID(), 1000);
    const [one] = await devices.list(person, 1000);
    expect(await devices.forget(other, one?.id)).toBe(0);
    expect(await devices.forget(person, one?.id)).toBe(1);
    expect(await devices.forget(person)).toBe(2);
    expect([await devices.list(person, 0), (await devices.list(other, 0)).length]).toEqual([[], 1]);
  });
});
