/** Kills a system with SIGKILL during a load, and counts the answered creates that are missing afterwards. */
import { newPlant } from "#peer/peer.ts";
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
  let going = true;
  let next = firstId;
  const client = async () => {
    while (going) {
      const id = String(next++);
      const answer = await service.create(newPlant(id)).catch(() => undefined);
      // The status has arrived, which is a promise even if the body has not.
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.ok) answered.push(id);
    }
  };
  const load = Promise.all(Array.from({ length: clients }, client));
  await Bun.sleep(seconds * 1000);
  await service.kill();
  going = false;
  await load;
  await service.startAgain();
  const stored = await storedIds(service.peer, service.place);
  return { answered: answered.length, lost: answered.filter((id) => !stored.has(id)).length };
}
