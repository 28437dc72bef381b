import { useAlive } from "../alive.ts";

/** Chooses every row of the list, or none. */
export function SelectAll() {
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
