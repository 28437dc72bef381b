import { expect, it } from "vitest";
import { showMessage } from "./show-message.ts";

const whole = ({ head, tail }: ReturnType<typeof showMessage>): string => [...head, ...tail].join("");
const ending = (text: string): string => showMessage(text).tail.join("");

it("variable parts of a message are every second part", () => {
  expect(showMessage("No stock of SKU 88-4410 in 'Bern'")).toEqual({
    head: ["No stock of SKU ", "88-4410", " in ", "'Bern'", ""],
    tail: [],
  });
});

it("a long message keeps its end, with whole words and whole variable parts", () => {
  const text = "canceling statement due to lock timeout while the stock of a parcel was reserved";
  expect(ending(text)).toBe(" parcel was reserved");
  expect(showMessage("The payment provider did not answer within ten seconds for order 34779").tail).toEqual([
    " seconds for order ",
    "34779",
    "",
  ]);
});

it("nothing of a message is lost or doubled, whatever it consists of", () => {
  const words = ["a", "12", "'quoted'", "deadbeef01", "x".repeat(70), "order", " ", "7", "…"];
  let state = 7;
  for (let n = 0; n < 2_000; n += 1) {
    const text = Array.from({ length: n % 30 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return words[state % words.length];
    }).join(n % 2 ? " " : "");
    const shown = showMessage(text);
    expect(whole(shown)).toBe(text);
    expect(shown.tail.join("").length).toBeLessThanOrEqual(60);
    expect(shown.head.length % 2).toBe(1);
  }
});
