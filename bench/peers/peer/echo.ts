import { bun, node } from "#harness/place.ts";
import { inProduction, type Peer, usual } from "./peer.ts";

const echo = {
  ...usual,
  engine: "none",
  source: "echo",
  settings: "reads the body and sends it back: no token, no check, nothing kept",
  install: [],
  installed: [],
  ready: "/",
  token: async () => "",
  idColumn: undefined,
} satisfies Partial<Peer>;

export const echoBun: Peer = {
  ...echo,
  name: "echo-bun",
  title: "Bare echo on Bun",
  runtime: "bun",
  version: async () => Bun.version,
  serve: (place) => inProduction(place, [bun, "bun.ts"]),
};

export const echoNode: Peer = {
  ...echo,
  name: "echo-node",
  title: "Bare echo on Node",
  runtime: "node",
  version: async () => "",
  serve: (place) => inProduction(place, [node(), "node.ts"]),
};
