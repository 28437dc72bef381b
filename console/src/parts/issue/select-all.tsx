import { useEffect } from "react";
import { useAlive } from "../alive.ts";
import { withRows } from "../keys-and-search/keys.ts";

/** Chooses every row of the list, or none. */
export function SelectAll() {
  useEffect(() => void withRows((rows) => rows.watchBoxes()), []);
  if (!useAlive()) return <span className="unseen">Choose</span>;
  return (
    <input
      type="checkbox"
      aria-label="Choose all on this page"
      onChange={({ currentTarget: { form, checked } }) => {
        for (const box of form?.querySelectorAll<HTMLInputElement>("[data-row] input[type=checkbox]") ?? [])
          box.checked = checked;
      }}
    />
  );
}
