import { expect, test } from "vitest";
import { withoutValues } from "./query-span.ts";

test.each([
  ["select * from t where id = 7 and name = 'Ada'", "select * from t where id = ? and name = ?"],
  ["select 'it''s hunter2', $1", "select ?, $1"],
  ["select $tag$hunter2$tag$ as a", "select ? as a"],
  ["-- don't ask\nselect * from t where token = 'hunter2'", "select * from t where token = ?"],
  ["select /* it's */ a from t where token = 'hunter2'", "select a from t where token = ?"],
  [`select "user's name" from t where token = 'hunter2'`, `select "user's name" from t where token = ?`],
  ["select E'it\\'s hunter2' as a, b", "select ? as a, b"],
  ["select 'hunter2 that is never clos", "select ?"],
  ["select 1.5, t1.c2 from t1", "select ?, t1.c2 from t1"],
  ["  select\n  a  ", "select a"],
])("the text of a query is recorded without its values: %s", (sql, context) => {
  expect(withoutValues(sql)).toBe(context);
});
