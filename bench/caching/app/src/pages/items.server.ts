import { load } from "holdfast/server";
import { listItems } from "../parts/list-items.ts";

export const data = load("/items", () => ({ items: listItems() }));
