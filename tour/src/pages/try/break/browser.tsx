import { useState } from "react";

export default function InTheBrowser() {
  const [order, setOrder] = useState<{ name: string } | null>({ name: "Order 7" });
  if (!order) throw new TypeError("The order went away while it was being shown.");
  return (
    <div className="card stack">
      <p>{order.name}</p>
      <p className="buttons">
        <button
          type="button"
          className="button"
          onClick={() => {
            throw new Error("This event handler does not work.");
          }}
        >
          Throw in an event handler
        </button>
        <button type="button" className="button" onClick={() => setOrder(null)}>
          Throw while rendering
        </button>
      </p>
      <noscript>
        <p>This page needs JavaScript, because it is about errors in it.</p>
      </noscript>
    </div>
  );
}
