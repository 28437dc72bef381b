import { load } from "holdfast/server";
import { listItems } from "../server/list-items.ts";

export const data = load("/items", () => ({ items: listItems() }));
