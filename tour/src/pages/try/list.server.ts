import { load } from "holdfast/server";
import { findParts, partSearch } from "../../server/parts-list.ts";

export const search = partSearch;

export const data = load("/try/list", { search }, ({ search }) => findParts(search));
