/**
 * Prints how the official client for Node describes errors: node describe.js. Each line is the JSON of one error, with
 * its original stack, so that others can describe the same error.
 */
import * as Sentry from "sentry-node-11";

/** @type {{ exception?: unknown }[]} */
const events = [];
Sentry.init({
  dsn: "http://dddddddddddddddddddddddddddddddd@127.0.0.1:9/1",
  release: "r1",
  environment: "production",
  beforeSend: (event) => {
    events.push(event);
    return null;
  },
});

for (const make of [plain, caused, group, deep, object, text]) {
  const thrown = await make();
  Sentry.captureException(thrown);
  await Sentry.flush(2_000);
  console.log(JSON.stringify({ name: make.name, thrown: written(thrown), exception: events.at(-1)?.exception }));
}
await Sentry.close();

function plain() {
  return new TypeError("the cart is empty");
}

function caused() {
  return new Error("cannot pay", { cause: new RangeError("no items", { cause: new TypeError("no list") }) });
}

function group() {
  return new AggregateError([new Error("first"), new TypeError("second")], "both failed");
}

async function deep() {
  await null;
  return [1].map(function inside() {
    return new Error("deep");
  })[0];
}

function object() {
  return { code: 7, why: "no reason" };
}

function text() {
  return "only a text";
}

/** @param {unknown} thrown @returns {unknown} */
function written(thrown) {
  if (!(thrown instanceof Error)) return { value: thrown };
  const { name, message, stack, cause } = thrown;
  const errors = thrown instanceof AggregateError ? thrown.errors.map(written) : undefined;
  return { name, message, stack, errors, cause: cause === undefined ? undefined : written(cause) };
}
