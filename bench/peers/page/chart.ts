/** The chart: creates a second as bars, one panel for each number of connections, for light and dark pages. */
import type { Results } from "#harness/results.ts";
import type { Spread } from "#harness/statistics.ts";
import type { Peer } from "#peer/peer.ts";
import { ranked, rate, spreadOf } from "./figures.ts";
import { figure } from "./words.ts";

export interface Palette {
  ink: string;
  faint: string;
  line: string;
  ours: string;
  others: string;
  echo: string;
}

export const light: Palette = {
  ink: "#1f2328",
  faint: "#59636e",
  line: "#d1d9e0",
  ours: "#1a7f37",
  others: "#8c959f",
  echo: "#d8dee4",
};

export const dark: Palette = {
  ink: "#f0f6fc",
  faint: "#9198a1",
  line: "#3d444d",
  ours: "#3fb950",
  others: "#6e7781",
  echo: "#353c45",
};

const width = 880;
const left = 240;
const right = 84;
const rowHeight = 26;
const barHeight = 16;
const titleHeight = 58;
const panelHead = 30;
const panelGap = 20;
const panels = [256, 64, 1];

export function chart(results: Results, palette: Palette): string {
  let height = titleHeight;
  const drawn = panels.map((connections) => {
    const peers = shown(results, connections);
    const at = height;
    height += panelHead + peers.length * rowHeight + panelGap;
    return group(0, at, panel(results, peers, connections, palette));
  });
  const summary = "Creates each second for each peer, at 256, 64 and 1 connections; the tables below hold the figures.";
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary}"`,
    ` font-family="-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif" font-size="13">`,
    title(results, palette),
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

/** With one connection the disk decides. The echoes do not use it and would make all other bars tiny. */
const shown = (results: Results, connections: number) =>
  ranked(results).filter(({ engine }) => connections > 1 || engine !== "none");

const group = (x: number, y: number, inner: string) => `<g transform="translate(${x} ${y})">${inner}</g>`;

function title(results: Results, palette: Palette): string {
  const many = results.rounds === 1 ? "one round" : `median of ${results.rounds} rounds, the thin line is their range`;
  return [
    `<text x="0" y="20" font-size="17" font-weight="600" fill="${palette.ink}">Creates each second, each on disk before it is answered</text>`,
    `<text x="0" y="40" fill="${palette.faint}">One core for the server; ${many}. The echoes keep nothing: they are the limit.</text>`,
  ].join("\n");
}

function panel(results: Results, peers: Peer[], connections: number, palette: Palette): string {
  const spreads = peers.map(({ name }) => spreadOf(results, name, { connections, order: "sequential" }, rate));
  const most = Math.max(...spreads.map((spread) => spread.most));
  const scale = (value: number) => (value / most) * (width - left - right);
  const heading = `${connections} ${connections === 1 ? "connection" : "connections"}`;
  const foot = panelHead + peers.length * rowHeight - 6;
  return [
    `<text x="0" y="17" font-size="14" font-weight="600" fill="${palette.ink}">${heading}</text>`,
    ...peers.map((peer, index) =>
      group(0, panelHead + index * rowHeight, bar(peer, spreads[index] as Spread, scale, palette)),
    ),
    `<line x1="${left}" x2="${left}" y1="${panelHead - 4}" y2="${foot}" stroke="${palette.line}"/>`,
  ].join("\n");
}

function bar(peer: Peer, { median, least, most }: Spread, scale: (value: number) => number, palette: Palette): string {
  const own = peer.name.startsWith("plantstore");
  const fill = own ? palette.ours : peer.engine === "none" ? palette.echo : palette.others;
  const middle = barHeight / 2;
  const weight = own ? ' font-weight="600"' : "";
  return [
    `<text x="${left - 10}" y="${middle + 4.5}" text-anchor="end" fill="${palette.ink}"${weight}>${label(peer)}</text>`,
    `<rect x="${left}" y="0" width="${Math.max(1, scale(median)).toFixed(1)}" height="${barHeight}" rx="2" fill="${fill}"/>`,
    `<line x1="${(left + scale(least)).toFixed(1)}" x2="${(left + scale(most)).toFixed(1)}" y1="${middle}" y2="${middle}" stroke="${palette.ink}" stroke-opacity="0.55"/>`,
    `<text x="${(left + scale(most) + 8).toFixed(1)}" y="${middle + 4.5}" fill="${palette.ink}"${weight}>${figure(median)}</text>`,
  ].join("");
}

const label = ({ title }: Peer) => title.replaceAll("&", "&amp;");
