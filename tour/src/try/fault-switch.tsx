import { useEffect, useState } from "react";
import { useScripts } from "../parts/copy.tsx";
import { breakRequests, type Fault } from "./break-requests.ts";

/** A choice of faults. The selected one applies to the next navigation and is cleared when the page is left. */
export function FaultSwitch({ choices }: { choices: Readonly<Partial<Record<Fault, string>>> }) {
  const [fault, setFault] = useState<Fault>();
  const scripts = useScripts();
  useEffect(() => {
    breakRequests(fault);
    return () => breakRequests(undefined);
  }, [fault]);
  if (!scripts) return <p className="muted">Without JavaScript every click is a full page load already.</p>;
  return (
    <fieldset className="choices">
      <legend>What goes wrong</legend>
      <Choice label="Nothing" chosen={fault === undefined} choose={() => setFault(undefined)} />
      {Object.entries(choices).map(([name, label]) => (
        <Choice key={name} label={label} chosen={fault === name} choose={() => setFault(name as Fault)} />
      ))}
    </fieldset>
  );
}

function Choice({ label, chosen, choose }: { label: string; chosen: boolean; choose: () => void }) {
  return (
    <label>
      <input type="radio" name="fault" checked={chosen} onChange={choose} />
      {label}
    </label>
  );
}
