import { renderToString } from "react-dom/server";
import { afterEach, expect, test } from "vitest";
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

function stateOf(): FormState {
  let state: FormState | undefined;
  renderToString(
    <PageContext value={page}>
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
