import { setPriority } from "node:os";
import { Channel, type Functions, type Message } from "./channel.ts";

declare const self: Worker;

const LOW_PRIORITY = 10;

/** The worker's side of a `Thread`. Calls wait for the functions; if they cannot be had, the worker ends. */
export function serveThread(ours: Functions | Promise<Functions>): void {
  const channel = Promise.resolve(ours).then((functions) => new Channel(self, functions));
  self.onmessage = async ({ data }: MessageEvent<Message>) => (await channel).receive(data);
}

/** On Linux each thread has a priority of its own: where processors are short, creates come before this one. */
export function giveWayToCreates(): void {
  if (process.platform === "linux") setPriority(LOW_PRIORITY);
}
