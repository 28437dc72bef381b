import { expect, it } from "vitest";
import { readCarried } from "./carried-submissions.ts";

const nothing = { url: "", outcomes: [], open: [] };
const open = {
  ...{ name: "/a add a", nth: 0, slot: "add a", address: "http://localhost/a/_action/add" },
  ...{ entry: 1, key: "key", attempt: 1, pressedAt: 1, isEdited: false },
};
const carried = { url: "/a", outcomes: [{ name: "/a add a", nth: 0, text: "{}" }], open: [open] };

it("the state that one document has left is available to the next", () => {
  expect(readCarried(JSON.stringify(carried))).toEqual(carried);
});

it.each([
  null,
  "no JSON",
  "7",
  "{}",
  JSON.stringify({ ...carried, url: 1 }),
  JSON.stringify({ ...carried, outcomes: [null] }),
  JSON.stringify({ ...carried, open: {} }),
  JSON.stringify({ ...carried, open: [{ ...open, key: undefined }] }),
])("text that no document has left (%s) is ignored", (text) => {
  expect(readCarried(text)).toEqual(nothing);
});
