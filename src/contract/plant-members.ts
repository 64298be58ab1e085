/** For rooms that may not import core. */
export {
  ALL_MEMBERS,
  ANY_MEMBER,
  DESCRIPTIONS,
  LABELS,
  MEMBER_NAMES,
  OPTIONAL_MEMBERS,
  OPTIONAL_NAMES,
  type OptionalMember,
  PLANT_MEMBERS,
  type PlantMember,
  textsOf,
  withOptional,
} from "#core/plant-members.ts";
