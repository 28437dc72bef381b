import { load } from "holdfast/server";
import { listItems } from "../../server/items.ts";

export const data = load("/items", () => ({ items: listItems() }));
