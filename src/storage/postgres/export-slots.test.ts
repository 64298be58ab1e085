import { expect, test } from "bun:test";
import { EXPORTS_AT_ONCE_MAX, ExportSlots } from "./export-slots.ts";

test("accounts with many stalled exports leave room for those with few", () => {
  const slots = new ExportSlots();
  for (const account of [1, 2, 3]) for (let running = 0; running < 8; running++) slots.begin(account);
  expect(() => slots.begin(1)).toThrow("Too many exports");
  const ends = [slots.begin(4), slots.begin(4)];
  expect(() => slots.begin(4)).toThrow("Too many exports");
  slots.begin(5);
  for (const end of ends) end();
  slots.begin(4);
});

test("one account may have all that are not kept for others, and gets them back when they end", () => {
  const slots = new ExportSlots();
  const ends = Array.from({ length: EXPORTS_AT_ONCE_MAX - 8 }, () => slots.begin(1));
  expect(() => slots.begin(1)).toThrow("Too many exports");
  ends[0]?.();
  slots.begin(1);
});
