import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { defaultStackParser } from "sentry-browser-11";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { describeThrown } from "../../src/reporting/describe/describe-thrown.ts";
import { readStack } from "../../src/reporting/describe/read-stack.ts";
import { reportingLimits } from "../../src/reporting/limits.ts";
import type { WireException, WireFrame } from "../../src/reporting/wire.ts";

interface Written {
  name: string;
  message: string;
  stack: string;
  cause?: Written;
  errors?: Written[];
  value?: unknown;
}

interface Described {
  name: string;
  thrown: Written;
  exception: { values: WireException[] };
}

const described: Described[] = execFileSync(process.execPath, [join(root, "tests/compatibility/clients/describe.js")], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

describe("an error is described as the official client for Node describes it:", () => {
  test.each(described.map((one) => [one.name, one] as const))("%s", (_, { thrown, exception: { values: theirs } }) => {
    const ours = describeThrown(again(thrown), { type: "generic", handled: true }, reportingLimits).exceptions;
    expect(ours.map(({ type, value }) => [type, value])).toEqual(theirs.map(({ type, value }) => [type, value]));
    expect(ours.map(({ mechanism }) => relation(mechanism))).toEqual(
      theirs.map(({ mechanism }) => relation(mechanism)),
    );
    for (const [at, exception] of ours.entries()) {
      // For a thrown value that is no error, they use the stack of the reporting call, which is unrelated to the value.
      if (exception.mechanism.synthetic) continue;
      expect(framesOf(exception)).toEqual(framesOf(theirs[at]));
    }
  });
});

describe("a browser's stack is read as the official client reads it:", () => {
  test.each([
    [
      "Chromium",
      `TypeError: Cannot read properties of undefined (reading 'id')
    at load (https://shop.example/_assets/orders-1.js:10:5)
    at Object.onClick (https://shop.example/_assets/entry-2.js:1:700)
    at HTMLButtonElement.<anonymous> (https://shop.example/_assets/entry-2.js:1:801)
    at new Order (https://shop.example/_assets/entry-2.js:2:9)
    at https://shop.example/_assets/entry-2.js:3:4`,
    ],
    [
      "Firefox",
      `load@https://shop.example/_assets/orders-1.js:10:5
onClick/<@https://shop.example/_assets/entry-2.js:1:700
async*start@https://shop.example/_assets/entry-2.js:2:9
@https://shop.example/:3:1`,
    ],
    [
      "Safari",
      `load@https://shop.example/_assets/orders-1.js:10:5
https://shop.example/_assets/entry-2.js:1:700
global code@https://shop.example/_assets/entry-2.js:2:9`,
    ],
  ])("%s", (_, stack) => {
    const ours = readStack(stack, 50).map(place);
    const theirs = defaultStackParser(stack).map((frame) => place(frame as WireFrame));
    expect(ours).toEqual(theirs);
  });
});

/** Recreates an error from its printed form. */
function again({ name, message, stack, cause, errors, value }: Written): unknown {
  if (stack === undefined) return value;
  const error = errors
    ? new AggregateError(errors.map(again), message)
    : new Error(message, cause && { cause: again(cause) });
  error.name = name;
  error.stack = stack;
  return error;
}

/** Relations within a chain of errors. Names of mechanisms differ between clients. */
function relation({
  handled,
  synthetic,
  source,
  exception_id,
  parent_id,
  is_exception_group,
}: WireException["mechanism"]) {
  return { handled, synthetic, source, exception_id, parent_id, is_exception_group };
}

function framesOf(exception: WireException | undefined): unknown[] {
  return (exception?.stacktrace?.frames ?? []).map((frame) => ({ ...place(frame), in_app: frame.in_app }));
}

function place({ filename, function: name, lineno, colno }: WireFrame): object {
  return { filename, name, lineno, colno };
}
