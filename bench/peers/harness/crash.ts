/** Kills a system with SIGKILL during a load, and counts the answered creates that are missing afterwards. */
import type { Service } from "./service.ts";
import { storedIds } from "./store.ts";

export interface Crash {
  answered: number;
  lost: number;
}

const clients = 64;
const firstId = 8e12;

export async function crash(service: Service, seconds: number): Promise<Crash> {
  const answered: string[] = [];
  let next = firstId;
  let going = true;

  async function client(): Promise<void> {
    while (going) {
      const id = String(next++);
      const body = service.peer.body({ id, name: `plant ${id}`, tag: "tree" });
      const answer = await service.create(body).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      // The status has arrived, which is a promise even if the body has not.
      if (answer?.ok) answered.push(id);
    }
  }

  const load = Promise.all(Array.from({ length: clients }, client));
  await Bun.sleep(seconds * 1000);
  const dead = service.kill();
  going = false;
  await Promise.all([dead, load]);
  await service.startAgain();
  const stored = await storedIds(service.peer, service.place);
  return { answered: answered.length, lost: answered.filter((id) => !stored.has(id)).length };
}
