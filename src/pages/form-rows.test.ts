import { describe, expect, it } from "vitest";
import { changeRows, emptyLists, readRows, readRowsChange, renameFields } from "./form-rows.ts";

const change = (text: string) => readRowsChange([text]) ?? expect.unreachable();

describe("rows of a list", () => {
  it("rows keep what was typed into them when one between them is removed", () => {
    const values = {
      "lines[0].amount": "1",
      "lines[1].amount": "2",
      "lines[2].amount": "3",
      "lines[2].tags": ["a", "b"],
      "lines[2].parts[0]": "x",
      name: "Ada",
      _rows: ["lines 0,1,2,3", "lines[1].parts 0,1", "lines[2].parts 1,2", "others 0,1"],
    };
    expect(changeRows(values, change("lines 0,1,2,3 0,2,3"))).toEqual({
      "lines[0].amount": "1",
      "lines[1].amount": "3",
      "lines[1].tags": ["a", "b"],
      "lines[1].parts[0]": "x",
      name: "Ada",
      _rows: ["lines[1].parts 1,2", "others 0,1", "lines 0,2,3"],
    });
  });

  it("rows stay as they are when one is added, with a key that no row had before", () => {
    expect(changeRows({ "lines[0].amount": "1" }, change("lines 2,3 2,3,4"))).toEqual({
      "lines[0].amount": "1",
      _rows: ["lines 2,3,4"],
    });
  });

  it("rows take their messages with them", () => {
    const fields = { "lines[0].amount": ["One."], "lines[1].amount": ["Two."], lines: ["Few."], "liness[0]": ["No."] };
    expect(renameFields(fields, change("lines 0,1,2 1,2"))).toEqual({
      "lines[0].amount": ["Two."],
      lines: ["Few."],
      "liness[0]": ["No."],
    });
  });

  it("a list with the key of the next row alone is empty", () => {
    expect(emptyLists(["lines 3", "others 0,1", "orders[0].lines 0", "x", "lines 0 1"])).toEqual([
      "lines",
      "orders[0].lines",
    ]);
  });

  it("rows are read only as they are written", () => {
    const keys = [...Array(1_001).keys()].join();
    expect(readRows(["lines 0,1", "lines", "lines 0,x", `lines ${keys}`, `lines ${keys},1001`, "lines 0 1"])).toEqual([
      "lines 0,1",
      `lines ${keys}`,
    ]);
    for (const text of ["", "lines 0,1", "lines 0,1 x", "lines 0 0 0", `lines 0 ${keys},1001`])
      expect(readRowsChange([text])).toBeUndefined();
  });
});
