import { load } from "holdfast/server";

export const data = load("/try/break/anything", ({ url }) => {
  const what = url.searchParams.get("what") ?? "";
  if (Object.hasOwn(thrown, what)) throw thrown[what]?.();
  return {};
});

/** None of these is an error, and some of them throw when they are read. */
const thrown: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  text: () => "Someone threw a text.",
  frozen: () => Object.freeze({ reason: "frozen" }),
  trap: () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new Error("Do not look at me.");
        },
      },
    ),
  loop: () => {
    const error = new Error("It was my own fault.");
    error.cause = error;
    return error;
  },
};
