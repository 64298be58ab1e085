import { setPriority } from "node:os";
import { type Callee, Channel, type ChannelMessage, type Functions } from "./channel.ts";

declare const self: Worker;

/**
 * The worker's side of a `Thread`. `make` makes the functions that this worker offers, which may call those of the other side.
 * Calls wait until it has; if it fails, the worker ends.
 */
export function serveThread<Theirs extends Functions>(
  make: (theirs: Callee<Theirs>) => Functions | Promise<Functions>,
): void {
  let channel: Channel<Theirs>;
  const ready = Promise.resolve(make({ open: (name, argument) => channel.open(name, argument) })).then((ours) => {
    channel = new Channel<Theirs>(self, ours);
  });
  self.onmessage = async ({ data }: MessageEvent<ChannelMessage>) => {
    await ready;
    channel.receive(data);
  };
}

/** Lowers this thread's priority, which Linux has per thread, so that creates come first where processors are short. */
export function giveWayToCreates(): void {
  if (process.platform === "linux") setPriority(10);
}
