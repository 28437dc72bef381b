import type { Locator } from "playwright-core";
import { describe, expect } from "vitest";
import { journey, withoutJavaScript } from "../kit/index.ts";

const test = journey({ app: "tests/fixtures/forms" });

/** Each message, with the labels of the fields that refer to it. */
async function messages(form: Locator): Promise<string[]> {
  return form.getByRole("alert").evaluateAll((all) =>
    all.map((message) => {
      const about = message.closest("form")?.querySelectorAll(`[aria-invalid=true][aria-describedby="${message.id}"]`);
      return `${message.textContent} ${[...(about ?? [])].map((field) => field.getAttribute("aria-label"))}`;
    }),
  );
}

/** Stay, then from and to of each leg. */
async function fill(form: Locator, stay: readonly string[], ...legs: readonly (readonly string[])[]): Promise<void> {
  for (const [label, text] of [
    ["Stay from", stay[0]],
    ["Stay to", stay[1]],
    ...legs.flatMap(([from, to], at) => [
      [`From ${at + 1}`, from],
      [`To ${at + 1}`, to],
    ]),
  ])
    await form.getByLabel(label ?? "", { exact: true }).fill(text ?? "");
}

const stayWrong = "It ends too early. Stay from,Stay to";
const closed = "We were closed. Stay from,Stay to";

describe("messages about an object or a row as a whole", () => {
  for (const [how, name, options] of [
    ["sent with JavaScript", "Plain", {}],
    ["checked in the browser", "Checked", {}],
    ["sent without JavaScript", "Plain", withoutJavaScript],
  ] as const)
    test(`a message is shown when the form is ${how}, its fields refer to it, and it moves with its row`, async ({
      visit,
    }) => {
      const isChecked = name === "Checked";
      const hasScript = options !== withoutJavaScript;
      const visitor = (await visit("/trip", options)).expecting(/422/);
      const form = visitor.page.getByRole("form", { name });
      const press = (label: string) => form.getByRole("button", { name: label }).click();
      if (hasScript) await visitor.isAwake();
      await fill(form, ["2026", "2025"], ["Bonn", "Rome"], ["Oslo", "Oslo"]);
      await press("Save");
      await expect.poll(() => messages(form)).toEqual([stayWrong, "It leads nowhere. From 2,To 2"]);
      const focused = () => visitor.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      if (hasScript) await expect.poll(focused).toBe("Stay from");
      expect(visitor.requestsFor(/_action/)).toHaveLength(isChecked ? 0 : 1);

      await press("Add a leg");
      await form.getByLabel("From 3").waitFor();
      await press("Remove 1");
      await form.getByLabel("From 3").waitFor({ state: "detached" });
      // The page that has only changed its rows shows no messages.
      const moved = hasScript ? [stayWrong, "It leads nowhere. From 1,To 1"] : [];
      await expect.poll(() => messages(form)).toEqual(moved);

      await fill(form, ["1999", "2000"], ["Oslo", "Rome"], ["Bonn", "Rome"]);
      if (isChecked) await expect.poll(() => messages(form)).toEqual([]);
      await press("Save");
      await expect.poll(() => messages(form)).toEqual([closed, "No train goes there. From 2,To 2"]);
      if (isChecked) {
        // What only the server knows stays until something of it has changed.
        await form.getByLabel("To 2").fill("Bergen");
        await expect.poll(() => messages(form)).toEqual([closed]);
      }
      if (hasScript) expect(await visitor.accessibilityProblems()).toEqual([]);
      await form.getByLabel("Stay from").fill("2000");
      await press("Save");
      await form.getByText('"stay":{"from":"2000","to":"2000"}').waitFor();
      expect(await messages(form)).toEqual([]);
    });
});
