import { renderToString } from "react-dom/server";
import { afterEach, expect, test } from "vitest";
import { secretField } from "../draft-fields.ts";
import type { FieldValues } from "../view.ts";
import { Form, type FormState } from "./form.tsx";
import { PageContext, type PageContextValue } from "./page-context.ts";
import { slotName, slots } from "./slots.ts";

const action = { name: "rename", href: "/a/_action/rename" };
const name = slotName(action.href, "rename 1");
const page = { path: "/a", search: "", route: "/a", view: { kind: "page" } } as unknown as PageContextValue;
const { tracked } = slots;

afterEach(() => {
  slots.dirty.clear();
  Object.assign(slots, { tracked });
});

/** The page that answers a form that was refused. */
function after(values: FieldValues): PageContextValue {
  const outcome = { kind: "invalid", fields: { colors: ["No."] }, form: [], values } as const;
  return { ...page, view: { ...page.view, form: { slot: "rename 1", outcome } } };
}

function stateOf(values?: FieldValues): FormState {
  let state: FormState | undefined;
  renderToString(
    <PageContext value={values ? after(values) : page}>
      <Form action={action} of="1">
        {(form) => {
          state = form;
          return null;
        }}
      </Form>
    </PageContext>,
  );
  if (!state) throw new Error("The form was not rendered.");
  return state;
}

test("a copy of the state of a form says whether it is dirty, and the form is watched from then on", () => {
  slots.dirty.add(name);
  const watched = new Set<string>();
  Object.assign(slots, { tracked: watched });
  const state = stateOf();
  expect(watched.size).toBe(0);
  const { field, ...rest } = state;
  expect(field).toBeInstanceOf(Function);
  expect([{ ...state }.dirty, rest.dirty]).toEqual([true, true]);
  expect([...watched]).toEqual([name]);

  slots.dirty.clear();
  expect({ ...stateOf() }).toMatchObject({ dirty: false, pending: false });
});

test("all states of forms share one getter, because V8 keeps a hidden class for each other one", () => {
  const [one, other] = [stateOf(), stateOf()].map((state) => Object.getOwnPropertyDescriptor(state, "dirty")?.get);
  expect(one).toBeInstanceOf(Function);
  expect(one).toBe(other);
});

test("a checkbox or radio is ticked as it is at first, and after a refusal as it was sent", () => {
  const ticks = ({ choice }: FormState) => [
    choice("size", "m", "m").defaultChecked,
    choice("size", "l", "m").defaultChecked,
    choice("colors[]", "red", ["red", "blue"]).defaultChecked,
    choice("news").defaultChecked,
    choice("news", "on", true).defaultChecked,
    choice("news", undefined, null).defaultChecked,
  ];
  expect(ticks(stateOf())).toEqual([true, false, true, false, true, false]);
  expect(ticks(stateOf({ size: "l", "colors[]": ["blue", "green"] }))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(ticks(stateOf({ "colors[]": "red", news: "on" }))).toEqual([false, false, true, true, true, true]);
  expect(stateOf({}).choice("news")).toMatchObject({ name: "news", value: "on", "aria-invalid": undefined });
  // A row that was added was not there to be sent.
  const { choice } = stateOf({ "lines[0].text": "a" });
  expect(choice("lines[0].kind", "a", "a").defaultChecked).toBe(false);
  expect(choice("lines[1].kind", "a", "a").defaultChecked).toBe(true);
});

test("a checkbox whose name looks secret has its first state, because nothing of it is sent back", () => {
  const { choice } = stateOf({});
  for (const word of secretField.source.split("|"))
    expect(choice(`keep ${word.toUpperCase()}`, "on", true).defaultChecked, word).toBe(true);
  expect(choice("keep", "on", true).defaultChecked).toBe(false);
});

test("a list of several values has all that were sent, and the message of its name", () => {
  const { field, choice, error } = stateOf({ "colors[]": ["red", "blue"], colors: "red" });
  const id = error("colors")?.id;
  expect(error("colors[]")?.id).toBe(id);
  expect(field("colors[]")).toMatchObject({ defaultValue: ["red", "blue"], "aria-describedby": id });
  expect(choice("colors[]", "red")).toMatchObject({ "aria-invalid": true, "aria-describedby": id });
  expect(field("colors")).toMatchObject({ defaultValue: "red" });
  expect(stateOf({}).field("colors[]").defaultValue).toEqual([]);
  expect("defaultValue" in stateOf().field("colors[]")).toBe(false);
});
