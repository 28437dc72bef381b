import { load } from "holdfast/server";
import { listItems } from "../parts/list-items.ts";

export const prerender = true;

export const data = load("/made", () => ({ items: listItems() }));
