import { Link } from "holdfast";
import { FaultSwitch } from "../../try/fault-switch.tsx";
import { Pending } from "../../try/pending.tsx";

export default function Faults() {
  return (
    <div className="card stack">
      <FaultSwitch
        choices={{
          network: "The connection breaks",
          silence: "No byte arrives for 3,800 ms",
          cut: "The answer is cut off in the middle",
          "wrong-type": "A proxy answers with a page of its own",
        }}
      />
      <p className="buttons">
        <Link className="button primary" to="/try/orders/[id]" params={{ id: 8 }} prefetch="none">
          Go to order 8
        </Link>
      </p>
      <Pending />
    </div>
  );
}
