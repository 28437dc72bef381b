import { load, type PageCache } from "holdfast/server";
import { listItems } from "../parts/list-items.ts";

export const cache: PageCache = { fresh: "1h" };

export const data = load("/cached", () => ({ items: listItems() }));
