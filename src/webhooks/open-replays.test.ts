import { expect, test } from "bun:test";
import type { Replay } from "#storage/webhook-progress.ts";
import { OpenReplays } from "./open-replays.ts";

const replay = (id: string, position = 0n, until = 100n): Replay => ({ id, position, until, types: undefined });

/** The rows of an endpoint's replays. */
function rows(...replays: Replay[]) {
  return { replays: async () => replays };
}

test("replays are read one after another, each to its end", async () => {
  const open = new OpenReplays();
  expect([open.first, open.moveFirst(5n)]).toEqual([undefined, undefined]);
  await open.look(rows(replay("a"), replay("b")), "we_1");
  expect(open.moveFirst(40n)).toEqual(replay("a", 40n));
  expect(open.first).toEqual(replay("a", 40n));
  expect(open.moveFirst(100n)).toEqual(replay("a", 100n));
  expect(open.first?.id).toBe("b");
});

test("a row that is older than the position in memory does not set a replay back", async () => {
  const open = new OpenReplays();
  await open.look(rows(replay("a")), "we_1");
  open.moveFirst(40n);
  await open.look(rows(replay("a")), "we_1");
  expect(open.first?.position).toBe(40n);
  open.moveFirst(100n);
  await open.look(rows(replay("a"), replay("c")), "we_1");
  expect(open.first?.id).toBe("c");
});
