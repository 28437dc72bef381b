import { Link } from "holdfast";
import { FaultSwitch } from "../../try/fault-switch.tsx";
import { Pending } from "../../try/pending.tsx";

export default function Offline() {
  return (
    <div className="card stack">
      <FaultSwitch choices={{ offline: "The server cannot be reached" }} />
      <p className="buttons">
        <Link className="button primary" to="/try/orders/[id]" params={{ id: 8 }} prefetch="none">
          Go to order 8
        </Link>
      </p>
      <Pending />
    </div>
  );
}
