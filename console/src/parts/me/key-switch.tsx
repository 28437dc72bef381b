import { useEffect, useState } from "react";
import { useAlive } from "../alive.ts";
import { keysSetting } from "../keys-and-search/keys.ts";

/** For people whose speech input or switch types letters that are not meant as keys. */
export function KeySwitch() {
  const alive = useAlive();
  const [isOn, setOn] = useState(true);
  useEffect(() => setOn(localStorage.getItem(keysSetting) !== "off"), []);
  if (!alive) return null;
  const change = (): void => {
    localStorage.setItem(keysSetting, isOn ? "off" : "on");
    setOn(!isOn);
  };
  return (
    <section aria-labelledby="by-key">
      <h2 id="by-key">Keys</h2>
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={change} /> Single keys do things, in this browser
      </label>
    </section>
  );
}
