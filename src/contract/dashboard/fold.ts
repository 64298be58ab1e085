export { holdsFolded } from "#core/fold.ts";
