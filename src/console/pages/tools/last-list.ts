/** The list that was last looked at: the way back from a tool leads there, search and all. */
import { Store } from "../../kit/store.ts";

export const lastList: Store<string> = new Store("#/tools");
