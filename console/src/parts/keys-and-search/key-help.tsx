import { useState } from "react";
import { useAlive } from "../alive.ts";
import { whenUsed } from "../when-used.tsx";

const KeyList = whenUsed(() => import("./key-list.tsx"));

/** List of the keys, in a native dialog: Escape closes it. */
export function KeyHelp() {
  const alive = useAlive();
  const [isUsed, setUsed] = useState(false);
  return (
    <>
      <button
        type="button"
        className={alive ? "quiet" : "quiet waiting"}
        data-key="?"
        popoverTarget="keys"
        aria-label="Keys"
      >
        <kbd>?</kbd>
      </button>
      <div popover="auto" id="keys" className="panel" onToggle={() => setUsed(true)}>
        <h2>Keys</h2>
        {isUsed && <KeyList />}
        <p className="second">They can be turned off in your settings.</p>
      </div>
    </>
  );
}
