import { useNavigation } from "holdfast";
import { useEffect, useState } from "react";

/** The pending navigation, as a page can see it. */
export function Pending() {
  const { state, target, elapsed } = useNavigation();
  const [, tick] = useState(0);
  useEffect(() => {
    if (state === "idle") return;
    const timer = setInterval(() => tick((count) => count + 1), 100);
    return () => clearInterval(timer);
  }, [state]);
  if (state === "idle") return <p className="state good">○ idle</p>;
  return (
    <p className="state info">
      ● {state} {target && new URL(target).pathname + new URL(target).search}, {(elapsed() / 1000).toFixed(1)} s
    </p>
  );
}
