import { describe, expect, test } from "vitest";
import { whenSettled } from "./when-settled.ts";

describe("whenSettled", () => {
  const heard = (result: unknown): { handedOn: unknown; ends: boolean[] } => {
    const ends: boolean[] = [];
    return { handedOn: whenSettled(result, (failed) => ends.push(failed)), ends };
  };

  test("the listener learns how work ends, and the result is passed on", async () => {
    expect(heard(7)).toEqual({ handedOn: 7, ends: [false] });
    const { handedOn, ends } = heard(Promise.resolve(7));
    expect(await handedOn).toBe(7);
    expect(ends).toEqual([false]);
  });

  test("listening does not mark a rejection as handled: only the caller can handle it", async () => {
    const work = Promise.reject(new Error("no"));
    const { handedOn, ends } = heard(work);
    expect(handedOn).not.toBe(work);
    await expect(handedOn).rejects.toThrow("no");
    expect(ends).toEqual([true]);
  });

  test("an instance of a subclass of Promise is returned itself", async () => {
    class Query extends Promise<number> {
      readonly isQuery = true;
    }
    const query = Query.resolve(7) as Query;
    const { handedOn, ends } = heard(query);
    expect(handedOn).toBe(query);
    await query;
    expect(ends).toEqual([false]);
    const failing = Query.reject(new Error("no")) as Query;
    const failed = heard(failing);
    await expect(failing).rejects.toThrow("no");
    await expect.poll(() => failed.ends).toEqual([true]);
  });
});
