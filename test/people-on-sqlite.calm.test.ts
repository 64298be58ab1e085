import { changesOfPeople } from "./support/changes-of-people.ts";

changesOfPeople("sqlite");
