import { Command } from "commander";
import { addCommand } from "./plants-add.ts";
import { editCommand } from "./plants-edit.ts";
import { exportCommand } from "./plants-export.ts";
import { getCommand } from "./plants-get.ts";
import { importCommand } from "./plants-import.ts";
import { listCommand } from "./plants-list.ts";
import { removeCommand } from "./plants-remove.ts";

const COMMANDS = [addCommand, getCommand, listCommand, editCommand, removeCommand, importCommand, exportCommand];

export function plantsCommand(): Command {
  const plants = new Command("plants").description("work with plants over the API, as any client does");
  for (const make of COMMANDS) plants.addCommand(make());
  return plants;
}
